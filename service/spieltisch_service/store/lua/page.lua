-- One bucket's part of a page of matches: the newest members of several sorted sets, from a time on.
-- One script, so that a page over many lists costs one command a bucket, and that a match which moves from one list
-- to another is in exactly one of them.
--
-- KEYS the sorted sets, by time      ARGV 1 how many of each at most   2 the time, or '' for the newest of all
-- Answers member, time, member, time, …: of each set all members of that very time, which are few and not counted
-- (the caller leaves out those that it has seen; strings are compared by locale here), and those of earlier times.

local page = {}
local function add(...)
  for _, word in ipairs(redis.call('ZREVRANGEBYSCORE', ...)) do page[#page + 1] = word end
end
for _, key in ipairs(KEYS) do
  if ARGV[2] == '' then
    add(key, '+inf', '-inf', 'WITHSCORES', 'LIMIT', 0, ARGV[1])
  else
    add(key, ARGV[2], ARGV[2], 'WITHSCORES')
    add(key, '(' .. ARGV[2], '-inf', 'WITHSCORES', 'LIMIT', 0, ARGV[1])
  end
end
return page
