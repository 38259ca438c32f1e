-- The key of a list that is read now, with the tag's epoch and seq; nil where no fill of that definition was finished.
-- Twin of shown-tag.ts.
local function readableTag(meta, definition, list)
  local state = redis.call('HMGET', meta, 'generation', 'epoch', 'seq', 'shown', 'definition')
  -- A meta of the version before has no `shown`: it shows what it writes.
  if not state[1] or (state[4] or state[5]) ~= definition then return nil end
  return listKey(meta, state[1], list), state[2], state[3]
end
