-- The matches of one bucket whose timer has run out by the store's time, longest due first, each followed by when.
-- One script, because the time must be the store's.
--
-- KEYS 1 timers (sorted set)      ARGV 1 how many at most

local time = redis.call('TIME')
local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, ARGV[1])
