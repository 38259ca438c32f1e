-- Players who stand in no list; asks for each of them once in a call.
-- Whoever asks looks at `isAny` first: on most boards nobody is hidden.
local function hiddenPlayers(meta)
  local key = tagKey(meta, 'hidden')
  return { key = key, isAny = redis.call('EXISTS', key) == 1, known = {} }
end

local function isHidden(hidden, player)
  local known = hidden.known[player]
  if known == nil then
    known = redis.call('SISMEMBER', hidden.key, player) == 1
    hidden.known[player] = known
  end
  return known
end

local function setHidden(hidden, player, isHiddenNow)
  redis.call(isHiddenNow and 'SADD' or 'SREM', hidden.key, player)
  hidden.isAny, hidden.known[player] = true, isHiddenNow
end
