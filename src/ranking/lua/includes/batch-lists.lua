-- The lists of a submit: `flat` has name, kept until, ...; a combination has indexes of the lists a result counts in.
-- Answers the lists of each combination, without those that are past their time: nothing may bring them back.
local function batchLists(board, flat, combinations)
  local lists, resolved, now = {}, {}, false
  for i = 1, #flat, 2 do
    local keptUntil = flat[i + 1]
    if keptUntil ~= 0 then now = now or serverClock() end
    lists[#lists + 1] = isKept(keptUntil, now) and boardList(board, flat[i], keptUntil)
  end
  for c, indexes in ipairs(combinations) do
    local open = {}
    for _, index in ipairs(indexes) do
      if lists[index] then open[#open + 1] = lists[index] end
    end
    resolved[c] = open
  end
  return resolved
end

-- The first that is wrong with the lists; nil where all is well.
local function batchListsProblem(flat, combinations)
  for i = 1, #flat, 2 do
    if not isListName(flat[i]) or not isKeptUntil(flat[i + 1]) then return 'list ' .. (i + 1) / 2 end
  end
  for c, indexes in ipairs(combinations) do
    for _, index in ipairs(indexes) do
      if not isWholeNumber(index) or index < 1 or index > #flat / 2 then return 'combination ' .. c end
    end
  end
end
