-- Put a match on an account's list and on its list of active matches, with the store's time; a match that is on a
-- list keeps its time. One script, because the time must be the store's and both lists must agree.
--
-- KEYS 1 matches (sorted set)  2 active (sorted set)      ARGV 1 match id   2 how many others may be active, or ''
-- Answers {1}, or {0} where there are as many others: nothing was written.

if ARGV[2] ~= '' and not redis.call('ZSCORE', KEYS[2], ARGV[1]) then
  if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[2]) then return {0} end
end
local time = redis.call('TIME')
local at = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('ZADD', KEYS[1], 'NX', at, ARGV[1])
redis.call('ZADD', KEYS[2], 'NX', at, ARGV[1])
return {1}
