-- The list that is read now, with the tag's epoch and seq; nil where no fill has been finished.
local function readableTag(meta)
  local state = redis.call('HMGET', meta, 'generation', 'epoch', 'seq')
  if not state[1] then return nil end
  return listKey(meta, state[1], 's'), state[2], state[3]
end
