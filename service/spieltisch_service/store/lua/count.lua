-- Count one more, in a window of time that the first one begins. One script, because a counter without an end would
-- count for ever.
--
-- KEYS 1 counter      ARGV 1 ms of the window
-- Answers {how many, ms until the window ends}.

local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('PTTL', KEYS[1])}
