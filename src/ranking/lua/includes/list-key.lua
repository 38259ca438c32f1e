-- The key of a list in a generation, inside the tag of KEYS[1] (`<stem>:meta`); twin of keys.ts.
local function listKey(meta, generation, list)
  return string.sub(meta, 1, -5) .. generation .. ':' .. list
end
