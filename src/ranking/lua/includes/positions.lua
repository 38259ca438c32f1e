-- The tag's positions, flat and as text: source, partition, next, ...
local function tagPositions(meta)
  local positions = {}
  local fields = redis.call('HGETALL', meta)
  for i = 1, #fields, 2 do
    -- A source may hold colons itself.
    local source, partition = string.match(fields[i], '^next:(.+):(%d+)$')
    if source then
      local n = #positions
      positions[n + 1], positions[n + 2], positions[n + 3] = source, partition, fields[i + 1]
    end
  end
  return positions
end
