-- Count one more, in a window of time that the first one begins. One script, because a counter without an end would
-- count for ever.
--
-- KEYS 1 counter      ARGV 1 ms of the window   2 how far it may go
-- Answers {1, how many, ms until the window ends}; 0 instead of 1 beyond that.

local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {count > tonumber(ARGV[2]) and 0 or 1, count, redis.call('PTTL', KEYS[1])}
