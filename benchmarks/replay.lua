-- wrk sends the requests of a file one after the other, and with a template for joining it joins what it created.
--
-- Arguments: the number of threads; the file; "once" or "again" (start anew behind the last request); optionally a file
-- with the template, in which {match} stands for the id of a match that an answer brought. Of n threads, the first one
-- sends the requests 1, n + 1, 2n + 1, … and so on.
-- A file is a list of requests as they go over the wire, each behind its length and a newline.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
  thread:set("number", #threads)
end

local function read(name)
  local file = assert(io.open(name, "rb"))
  local all = {}
  while true do
    local length = file:read("*n")
    if not length then break end
    file:read(1)
    all[#all + 1] = file:read(length)
  end
  file:close()
  return all
end

function init(args)
  step, again, ready = tonumber(args[1]), args[3] == "again", {}
  requests, at = read(args[2]), number - step
  exhausted, joined, unexpected = 0, 0, 0
  if args[4] then
    template = read(args[4])[1]
    response = function(status, headers, body)
      if status ~= 201 then
        unexpected = unexpected + 1
      elseif body:find('"status":"open"', 1, true) then
        ready[#ready + 1] = headers["Location"]:match("[^/]+$")
      else
        joined = joined + 1
      end
    end
  end
end

function request()
  -- wrk asks its first thread for one before the start, to see what it looks like, and does not send it.
  if number == 1 and not looked_at then
    looked_at = true
    return requests[1]
  end
  local last = #ready
  if last > 0 then
    local match = ready[last]
    ready[last] = nil
    return (template:gsub("{match}", match))
  end
  at = at + step
  if at > #requests then
    if not again then exhausted = exhausted + 1 end
    at = number
  end
  return requests[at]
end

function done(summary, latency)
  local exhausted, joined, unexpected = 0, 0, 0
  for _, thread in ipairs(threads) do
    exhausted = exhausted + thread:get("exhausted")
    joined = joined + thread:get("joined")
    unexpected = unexpected + thread:get("unexpected")
  end
  local errors = summary.errors
  io.write(string.format(
    '\nRESULT {"requests":%d,"seconds":%f,"p99_ms":%f,"bytes":%d,"refused":%d,"broken":%d,"exhausted":%d,"joined":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(99) / 1e3, summary.bytes,
    math.max(errors.status, unexpected), errors.connect + errors.read + errors.write + errors.timeout, exhausted, joined
  ))
end
