-- Write everything that one use case changes about one match, all or nothing.
--
-- One script, because the answer to "was this request answered before", the compare of the version, the time, the
-- events, the state, the lists, the timer and the idempotency row must be one step: nobody may see or write anything
-- in between. All reads and checks come before the first write; a store that refuses writes (out of memory,
-- read-only, disk full) refuses the first one, so that nothing is half done.
--
-- KEYS 1 match (hash)  2 log (list)  3 answers (hash)  4 timers (sorted set)  5 bots (sorted set)
--      then the public list to leave and the one to enter, as far as ARGV 7 and 8 say that there are such.
--      then the counters.
-- ARGV 1 match id            2 expected version (length of the log)
--      3 channels, joined by spaces                   4 topics to wake, joined by commas
--      5 field of the idempotency row, or ''   6 that row
--      7 '1': leave a list   8 '1': enter a list
--      9 '1': enter the bots' list, '0': leave it, '': stay
--     10 ms from the last event until the timer runs out, or '': no timer
--     11 number of events    12 number of fields    13 number of stamps   14 number of counters
--     15 hash of the last event (32 bytes), or '' where it does not matter
--     16 expected revision (how often the document was rewritten by no event), or '' where no document is written
--     then the events (32 bytes of hash and the body), the fields (name, value) and the stamps (name), and of each
--     counter how far it may go and the ms of its window.
--     Where a clock runs, seven more: 1 the deadline, or ''  2 ms since the request came in  3 the time of the events, unless
--     it is still to come, or '': now;  when the lapse is due, or '' and three others: 4 ms  5 '1': from the time of the events on
--     6 since when time is spent  7 how much there is to spend, which it comes that much sooner.
-- Answers the idempotency row (a string): answered before; an array: conflict, and the match as load.lua answers it (empty
-- where there is none), so that whoever was behind need not ask for it; the time in ms of the commit (a number): done; with counters instead
-- {'counted', that time, how many, ms until the window ends, …}, or {'limited', number of the counter (0 first), ms until
-- its window ends}: one of them is used up; -1: it is past the deadline.
-- The version of a match is the length of its log. An entry of the log is 6 bytes of time (ms, big-endian), 32 bytes
-- of hash, body.

local answers_field = ARGV[5]
if answers_field ~= '' then
  local row = redis.call('HGET', KEYS[3], answers_field)
  if row then return row end
end

local version = redis.call('LLEN', KEYS[2])
local last_entry = version > 0 and redis.call('LINDEX', KEYS[2], -1)
local time = redis.call('TIME')
local at = time[1] * 1000 + math.floor(time[2] / 1000)
-- A store that lost the end of its log and grew again is at a version that somebody remembers, with other events.
local elsewhere = last_entry and ARGV[15] ~= '' and string.sub(last_entry, 7, 38) ~= ARGV[15]
local rewritten = ARGV[16] ~= '' and (redis.call('HGET', KEYS[1], 'n') or '0') ~= ARGV[16]
if version ~= tonumber(ARGV[2]) or elsewhere or rewritten then
  if version == 0 then return {} end
  local got = redis.call('HMGET', KEYS[1], 'd', 's', 'z', 'c', 'b', 'e', 'r', 'k', 'n')
  return {
    at, version, string.sub(last_entry, 1, 38),
    got[1], got[2], got[3], got[4], got[5], got[6], got[7], got[8], got[9], false,
  }
end

local events, fields, stamps = tonumber(ARGV[11]), tonumber(ARGV[12]), tonumber(ARGV[13])
local first_field = 17 + events
local first_stamp = first_field + 2 * fields
local first_counter = first_stamp + stamps
local last_counter = first_counter + 2 * tonumber(ARGV[14]) - 1
local clock = last_counter
local timed = #ARGV > clock
if timed then
  if ARGV[clock + 1] ~= '' and at - tonumber(ARGV[clock + 2]) >= tonumber(ARGV[clock + 1]) then return -1 end
  local told = tonumber(ARGV[clock + 3])
  if told then at = math.min(at, told) end
end
local last
if version > 0 then
  last = (struct.unpack('>I6', last_entry))
  at = math.max(at, last)
end
local at_text = string.format('%.0f', at)
local at_bytes = struct.pack('>I6', at)

local created
local row = {}
for i = first_field, first_stamp - 1 do row[#row + 1] = ARGV[i] end
for i = first_stamp, first_stamp + stamps - 1 do
  row[#row + 1] = ARGV[i]
  row[#row + 1] = at_text
  if ARGV[i] == 'c' then created = at_text end
end

local leave, enter
local next_key = 6
if ARGV[7] == '1' then leave = KEYS[next_key]; next_key = next_key + 1 end
if ARGV[8] == '1' then
  enter = KEYS[next_key]
  next_key = next_key + 1
  created = created or redis.call('HGET', KEYS[1], 'c')
  if not created then return redis.error_reply('ERR a match enters a list by its creation time, and has none') end
end

local counts
for i = first_counter, last_counter, 2 do
  local number = (i - first_counter) / 2
  local key = KEYS[next_key + number]
  if tonumber(redis.call('GET', key) or 0) >= tonumber(ARGV[i]) then
    return {'limited', number, redis.call('PTTL', key)}
  end
  counts = {'counted', at}
end

for i = 17, first_field - 1 do redis.call('RPUSH', KEYS[2], at_bytes .. ARGV[i]) end
if #row > 0 then redis.call('HSET', KEYS[1], unpack(row)) end
if answers_field ~= '' then redis.call('HSET', KEYS[3], answers_field, ARGV[6]) end
if leave then redis.call('ZREM', leave, ARGV[1]) end
if enter then redis.call('ZADD', enter, created, ARGV[1]) end
if ARGV[9] == '1' then
  redis.call('ZADD', KEYS[5], at_text, ARGV[1])
elseif ARGV[9] == '0' then
  redis.call('ZREM', KEYS[5], ARGV[1])
end
if ARGV[10] ~= '' then
  local runs_out = (events > 0 and at or last) + tonumber(ARGV[10])
  if timed and ARGV[clock + 4] ~= '' then
    local spent = math.min(tonumber(ARGV[clock + 7]), math.max(0, at - tonumber(ARGV[clock + 6])))
    local due = tonumber(ARGV[clock + 4]) - spent
    if ARGV[clock + 5] == '1' then due = due + at end
    runs_out = math.min(runs_out, due)
  end
  redis.call('ZADD', KEYS[4], string.format('%.0f', runs_out), ARGV[1])
else
  redis.call('ZREM', KEYS[4], ARGV[1])
end
for i = first_counter, last_counter, 2 do
  local key = KEYS[next_key + (i - first_counter) / 2]
  local count = redis.call('INCR', key)
  if count == 1 then redis.call('PEXPIRE', key, ARGV[i + 1]) end
  counts[#counts + 1] = count
  counts[#counts + 1] = redis.call('PTTL', key)
end
-- A bell that must not ring (access rights) is no reason to deny what has been written.
local message = ARGV[1] .. ' ' .. string.format('%.0f', version + events) .. ' ' .. ARGV[4]
for channel in string.gmatch(ARGV[3], '%S+') do redis.pcall('PUBLISH', channel, message) end
return counts or at
