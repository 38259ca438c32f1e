-- Marks: players whose entry is computed anew from truth, and what is merged aside for them since; see domain/marks.ts.
-- Answers who had a mark before this call, as a function that asks for each player once; nil where nobody has one.
local function marksBefore(marks)
  if redis.call('EXISTS', marks) == 0 then return nil end
  local known = {}
  return function(player)
    if known[player] == nil then known[player] = redis.call('HEXISTS', marks, player) == 1 end
    return known[player]
  end
end

-- Merges what comes for a marked player once more, into what came since his mark.
local function mergeAside(aside, merge, player, incoming)
  local stored = redis.call('HGET', aside, player)
  local score = mergeScores(merge, stored and tonumber(stored), incoming)
  redis.call('HSET', aside, player, wholeNumber(score))
end

-- Gives each player a new mark with the tag's positions as meta has them now; `markId` makes the ids of this call.
-- JSON: read-marks hands it on as it is, where taking a thousand marks apart would block Redis for tens of ms.
local function markPlayers(meta, marks, aside, markId, players)
  local mark = { '' }
  local fields = redis.call('HGETALL', meta)
  for i = 1, #fields, 2 do
    -- A source may hold colons itself.
    local source, partition = string.match(fields[i], '^next:(.+):(%d+)$')
    if source then
      local n = #mark
      mark[n + 1], mark[n + 2], mark[n + 3] = source, partition, fields[i + 1]
    end
  end
  for i, player in ipairs(players) do
    mark[1] = markId .. ':' .. i
    redis.call('HSET', marks, player, cjson.encode(mark))
  end
  redis.call('HDEL', aside, unpack(players))
end
