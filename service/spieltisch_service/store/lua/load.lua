-- Read a match and, if asked for, one idempotency row, at one instant.
--
-- One script, because state, version and row must belong together; separate reads could straddle a commit.
--
-- KEYS 1 match (hash)  2 log (list)  3 answers (hash)
-- ARGV 1 field of the idempotency row, or ''   2 '1': with the secret
-- Answers nil: no such match; or {time in ms, version, time and hash of the last event (38 bytes), document, secret,
-- state, created, started, ended, rematch, clock, revision, idempotency row}, nil for what is not there.

local version = redis.call('LLEN', KEYS[2])
if version == 0 then return false end
local time = redis.call('TIME')
local got = redis.call('HMGET', KEYS[1], 'd', ARGV[2] == '1' and 's' or '', 'z', 'c', 'b', 'e', 'r', 'k', 'n')
local row = false
if ARGV[1] ~= '' then row = redis.call('HGET', KEYS[3], ARGV[1]) end
return {
  time[1] * 1000 + math.floor(time[2] / 1000), version, string.sub(redis.call('LINDEX', KEYS[2], -1), 1, 38),
  got[1], got[2], got[3], got[4], got[5], got[6], got[7], got[8], got[9], row,
}
