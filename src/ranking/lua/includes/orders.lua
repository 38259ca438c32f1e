-- What is to be done with players, see PlayerOrder in domain/submit.ts: by name, the label of the changes that come of it.
local ORDERS = { recompute = false, correct = 'correction', hide = 'hide', unhide = 'hide' }

-- Marks the player; who is hidden or shown again is so from here on, and leaves the lists at once.
local function followOrder(board, hidden, newMarks, order, player, lists, at)
  local label, names = ORDERS[order], {}
  for n, list in ipairs(lists) do
    names[n] = list.name
    if order == 'hide' then putRow(board, list, player, false, at, label) end
  end
  if order == 'hide' or order == 'unhide' then setHidden(hidden, player, order == 'hide') end
  addMark(newMarks, player, names, label)
end
