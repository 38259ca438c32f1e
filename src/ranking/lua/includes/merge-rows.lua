-- Merging results into lists of a board, see board-rows.lua; each answers whether the entry changed.
local function mergeIntoShown(board, list, player, incoming, at)
  local before = call('ZSCORE', list.shown, player)
  local scoreBefore = before and tonumber(before)
  local score = mergeScores(board.merge, scoreBefore, incoming)
  if score == scoreBefore then return false end
  moveShownRow(board, list, player, before, score, at, false)
  return true
end

-- `best` takes one call, ZADD compares for it.
local function mergeIntoFill(board, list, player, incoming)
  if board.merge.rule == 'best' then
    if call('ZADD', list.fill, 'GT', 'CH', wholeNumber(incoming), player) == 0 then return false end
    if call('ZCARD', list.fill) == 1 then registerList(board.meta, board.fill, list.name, list.keptUntil) end
    return true
  end
  local stored = call('ZSCORE', list.fill, player)
  local current = stored and tonumber(stored)
  local score = mergeScores(board.merge, current, incoming)
  if score == current then return false end
  putFillRow(board, list, player, score)
  return true
end

-- Merges into each of the lists. What is shown decides, and the fill where nothing is shown that is written.
local function mergeResult(board, lists, player, incoming, at)
  local isChanged = false
  for n = 1, #lists do
    local list = lists[n]
    if list.shown and mergeIntoShown(board, list, player, incoming, at) then isChanged = true end
    if list.fill and mergeIntoFill(board, list, player, incoming) and not list.shown then isChanged = true end
  end
  return isChanged
end
