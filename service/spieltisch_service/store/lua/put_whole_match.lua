-- Write a match with all that belongs to it, all or nothing, unless there is one of this id.
--
-- One script, so that a restore that is cut short leaves no half of a match. All checks come before the first write.
--
-- KEYS 1 match (hash)  2 log (list)  3 answers (hash)  4 timers (sorted set)  5 bots (sorted set)  and, if ARGV 4 is not
--      '', 6 the public list
-- ARGV 1 match id   2 when its timer runs out, or ''   3 since when it waits for a bot, or ''
--      4 when it was created, or '': on no public list   5 number of fields   6 number of entries
--      then the fields (name, value), the entries of the log, and the answers (field, row).
-- Answers 1: written, 0: there is one.

if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) > 0 then return 0 end
local first_entry = 7 + 2 * tonumber(ARGV[5])
local first_row = first_entry + tonumber(ARGV[6])
for i = 7, first_entry - 1, 2 do redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
for i = first_entry, first_row - 1 do redis.call('RPUSH', KEYS[2], ARGV[i]) end
for i = first_row, #ARGV, 2 do redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1]) end
if ARGV[2] ~= '' then redis.call('ZADD', KEYS[4], ARGV[2], ARGV[1]) end
if ARGV[3] ~= '' then redis.call('ZADD', KEYS[5], ARGV[3], ARGV[1]) end
if ARGV[4] ~= '' then redis.call('ZADD', KEYS[6], ARGV[4], ARGV[1]) end
return 1
