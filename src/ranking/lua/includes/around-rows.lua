-- A player's row and its neighbours, clamped at both ends: a negative start would wrap to the tail.
-- First index, and player id, packed score text, ...; none of a player without a row.
local function aroundRows(list, player, above, below)
  local index = redis.call('ZREVRANK', list, player)
  if not index then return 0, {} end
  local first = math.max(index - above, 0)
  return first, redis.call('ZREVRANGE', list, first, index + below, 'WITHSCORES')
end
