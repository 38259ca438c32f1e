-- Rows of a tag in the two generations that a call may write.
-- `shown` is false where the board that is shown is stale, `fill` where none is under way. What happens in `shown` is noted
-- as changes, in `applied`.
-- One look-up for all calls of a script, those of its own as well.
local call = redis.call

local function writtenBoard(meta, merge, generation, isStale, fill)
  return { meta = meta, merge = merge, shown = not isStale and generation, fill = fill, applied = {} }
end

-- A list with its key in each generation, false where that is not written. `keptUntil`: see list-registry.lua.
local function boardList(board, name, keptUntil)
  local meta, shown, fill = board.meta, board.shown, board.fill
  return { name = name, keptUntil = keptUntil, shown = shown and listKey(meta, shown, name),
    fill = fill and listKey(meta, fill, name) }
end

-- Gives a player a score in the list that is shown, or takes his row out where it is false. `before`: ZSCORE's answer.
local function moveShownRow(board, list, player, before, score, at, label)
  local key = list.shown
  local rankBefore, rank = before and call('ZREVRANK', key, player) + 1, false
  if score then
    call('ZADD', key, wholeNumber(score), player)
    rank = call('ZREVRANK', key, player) + 1
    if not before and call('ZCARD', key) == 1 then
      registerList(board.meta, board.shown, list.name, list.keptUntil)
    end
  else
    call('ZREM', key, player)
  end
  local applied = board.applied
  local n = #applied
  applied[n + 1], applied[n + 2], applied[n + 3] = list.name, player, before and tonumber(before)
  applied[n + 4], applied[n + 5], applied[n + 6], applied[n + 7], applied[n + 8] = rankBefore, score, rank, at, label
end

-- The same in the list that is filled, which is nobody's news.
local function putFillRow(board, list, player, score)
  if not score then return call('ZREM', list.fill, player) end
  call('ZADD', list.fill, wholeNumber(score), player)
  if call('ZCARD', list.fill) == 1 then registerList(board.meta, board.fill, list.name, list.keptUntil) end
end

-- Makes the player's row what it is to be in both, noting what changes; a score of false takes it out.
local function putRow(board, list, player, score, at, label)
  if list.shown then
    local before = call('ZSCORE', list.shown, player)
    if (before and tonumber(before)) ~= score then moveShownRow(board, list, player, before, score, at, label) end
  end
  if list.fill then putFillRow(board, list, player, score) end
end
