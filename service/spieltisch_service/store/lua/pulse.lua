-- Whether the service is up, by the store's time: when a process that serves requests said so last, and the times for
-- which none did. What lies before the first time is such a time, too: a restored store was down until then.
--
-- KEYS 1 the last beat (string)  2 outages (list of `FROM TO`)
-- ARGV 1 '1': such a process says so now   2 ms without a beat that make an outage   3 how many outages are kept
-- Answers {time in ms, the last beat before, outages}. One script, so that no outage is noted twice or forgotten.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local last = tonumber(redis.call('GET', KEYS[1]) or 0)
if ARGV[1] == '1' then
  if now - last > tonumber(ARGV[2]) then
    redis.call('RPUSH', KEYS[2], string.format('%.0f %.0f', last, now))
    redis.call('LTRIM', KEYS[2], -tonumber(ARGV[3]), -1)
  end
  -- Not with every beat of many processes; and a clock that was set back counts from there.
  if now - last >= 1000 or now < last then redis.call('SET', KEYS[1], string.format('%.0f', now)) end
end
return { now, string.format('%.0f', last), redis.call('LRANGE', KEYS[2], 0, -1) }
