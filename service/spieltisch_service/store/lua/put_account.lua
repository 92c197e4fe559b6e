-- Create an account unless it exists or existed. One script, because the look and the write must be one step.
--
-- KEYS 1 account (hash)      ARGV 1 document
-- Answers {document, created}: those that are kept; the document of an erased account is empty.

local kept = redis.call('HMGET', KEYS[1], 'd', 'c')
if kept[2] then return {kept[1] or '', kept[2]} end
local time = redis.call('TIME')
local at = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
redis.call('HSET', KEYS[1], 'd', ARGV[1], 'c', at)
return {ARGV[1], at}
