-- Put a match on an account's list and on its list of active matches, with the store's time; a match that is on a
-- list keeps its time. One script, because the time must be the store's and both lists must agree.
--
-- KEYS 1 matches (sorted set)  2 active (sorted set)      ARGV 1 match id

local time = redis.call('TIME')
local at = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('ZADD', KEYS[1], 'NX', at, ARGV[1])
redis.call('ZADD', KEYS[2], 'NX', at, ARGV[1])
return 1
