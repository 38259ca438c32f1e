-- The keys of a tag beside its lists, derived from KEYS[1] (`<stem>:meta`); twin of keys.ts.
-- The name is `marks`, `aside`, `settled`, `hidden`, `generations`, or `lists:` and a generation.
local function tagKey(meta, name)
  return string.sub(meta, 1, -5) .. name
end

local SEEN_HOUR_MS, SEEN_BUCKETS = 3600000, 16384

-- The set that remembers a result: by the hour it was achieved in, and its hash modulo the buckets, never negative.
local function seenKey(meta, hash, hour)
  -- 10^14 is a multiple of the buckets: the last 14 digits decide, and a double holds them; all 19 it would round.
  local low = tonumber(string.sub(hash, -14))
  if #hash > 14 and string.byte(hash) == 45 then low = -low end
  return string.format('%sseen:%d:%d', string.sub(meta, 1, -5), hour, low % SEEN_BUCKETS)
end
