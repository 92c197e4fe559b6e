-- wrk sends the requests of a file one after the other, and with a template for joining it joins what it created.
--
-- Arguments: the file; "once" or "again" (start anew behind the last request); optionally a file with the template, in
-- which {match} stands for the id of a match that an answer brought.
-- A file is a list of requests as they go over the wire, each behind its length and a newline.

local threads = {}

function setup(thread)
  table.insert(threads, thread)
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
  requests, at, again, ready = read(args[1]), 0, args[2] == "again", {}
  exhausted, joined, unexpected = 0, 0, 0
  if args[3] then
    template = read(args[3])[1]
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
  -- wrk asks for one before the start, to see what it looks like, and does not send it.
  if not looked_at then
    looked_at = true
    return requests[1]
  end
  local last = #ready
  if last > 0 then
    local match = ready[last]
    ready[last] = nil
    return (template:gsub("{match}", match))
  end
  at = at + 1
  if at > #requests then
    if not again then exhausted = exhausted + 1 end
    at = 1
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
