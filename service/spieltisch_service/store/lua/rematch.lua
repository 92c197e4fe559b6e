-- Note the match that follows a match, once. One script, so that a match that does not exist gets no note.
--
-- KEYS 1 match (hash)  2 log (list)      ARGV 1 id of the match that follows
-- Answers 1: noted now, 0: there was a note already, or there is no such match.

if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
return redis.call('HSETNX', KEYS[1], 'r', ARGV[1])
