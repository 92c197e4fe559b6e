-- Replace an account's document. One script, because the look and the write must be one step.
--
-- KEYS 1 account (hash)      ARGV 1 the document as it was read   2 the new one
-- Answers 1: written, 0: it is another one by now, or the account was erased.

if redis.call('HGET', KEYS[1], 'd') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'd', ARGV[2])
return 1
