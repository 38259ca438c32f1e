-- What came for a marked player since his mark: msgpack of list -> {score, kept until}.
local function readAside(aside, player)
  local stored = redis.call('HGET', aside, player)
  if not stored then return {} end
  -- The version before knew one list, and kept its score as text.
  local score = tonumber(stored)
  return score and { s = { score, 0 } } or cmsgpack.unpack(stored)
end

-- Merges a result into it, once more beside the lists themselves.
local function mergeAside(aside, merge, lists, player, incoming)
  local since = readAside(aside, player)
  for _, list in ipairs(lists) do
    local known = since[list.name]
    since[list.name] = { mergeScores(merge, known and known[1], incoming), list.keptUntil }
  end
  redis.call('HSET', aside, player, cmsgpack.pack(since))
end
