-- Delete a match with all that belongs to it. One script, because nothing may happen in it between the look and that.
--
-- KEYS 1 match (hash)  2 log (list)  3 answers (hash)  4 timers (sorted set)  5 bots (sorted set), and the public list that
--      it is on, if it is on one
-- ARGV 1 match id   2 the version that it must be at
-- Answers 1, or 0 where it is at another one: nothing was deleted.

if redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[2]) then return 0 end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
for i = 4, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
return 1
