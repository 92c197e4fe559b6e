-- Do several of the `steps` (the other scripts, which stand in front of this one) as one, each only if the one before
-- it did not answer {0, …}: that is its way to say no to all that follow.
--
-- KEYS those of all, in order      ARGV of each: number of the step, of its keys and of its words, then these words
-- Answers what they answered, or the error of one.

local answers, key, word = {}, 1, 1
while word <= #ARGV do
  local keys, words = tonumber(ARGV[word + 1]), tonumber(ARGV[word + 2])
  local answer = steps[tonumber(ARGV[word])](
    {unpack(KEYS, key, key + keys - 1)}, {unpack(ARGV, word + 3, word + 2 + words)}
  )
  if type(answer) == 'table' and answer.err then return answer end
  answers[#answers + 1] = answer
  if type(answer) == 'table' and answer[1] == 0 then break end
  key, word = key + keys, word + 3 + words
end
return answers
