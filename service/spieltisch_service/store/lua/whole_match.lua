-- Read a match with all that belongs to it, at one instant. One script, because a commit must not fall in between.
--
-- KEYS 1 match (hash)  2 log (list)  3 answers (hash)  4 timers (sorted set)  5 bots (sorted set)   ARGV 1 match id
-- Answers nil: no such match; or {document, secret, state, created, started, ended, rematch, revision, entries of
-- the log, answers (field, row, …), when its timer runs out, since when it waits for a bot}, nil for what is not there.

local log = redis.call('LRANGE', KEYS[2], 0, -1)
if #log == 0 then return false end
local got = redis.call('HMGET', KEYS[1], 'd', 's', 'z', 'c', 'b', 'e', 'r', 'n')
return {
  got[1], got[2], got[3], got[4], got[5], got[6], got[7], got[8], log,
  redis.call('HGETALL', KEYS[3]), redis.call('ZSCORE', KEYS[4], ARGV[1]), redis.call('ZSCORE', KEYS[5], ARGV[1]),
}
