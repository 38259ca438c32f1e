-- What a tag of the rule `sum` remembers, so that copies of a result count once: sets of hashes, small enough for intsets.
-- Results to remember at the end of this call: `flat` has set key, hash, hour, ...; `hours` has hour -> hash -> true.
local function newResults()
  return { flat = {}, hours = {} }
end

-- Judges a result and reads only: LATE before `earliest`, where the memory ends; DUPLICATE where the tag remembers it, or
-- this call is going to; else nil, and it joins what is remembered at the end.
local function judgeCopy(meta, earliest, new, hash, achievedAt)
  if achievedAt < earliest then return LATE end
  local hour = math.floor(achievedAt / SEEN_HOUR_MS)
  local sameHour = new.hours[hour]
  if not sameHour then
    sameHour = {}
    new.hours[hour] = sameHour
  end
  local key = seenKey(meta, hash, hour)
  if sameHour[hash] or redis.call('SISMEMBER', key, hash) == 1 then return DUPLICATE end
  sameHour[hash] = true
  local n = #new.flat
  new.flat[n + 1], new.flat[n + 2], new.flat[n + 3] = key, hash, hour
end

-- Remembers the results until an hour after the last one of their hour has become late.
local function remember(new, dedupMs)
  local flat = new.flat
  for i = 1, #flat, 3 do
    local key = flat[i]
    redis.call('SADD', key, flat[i + 1])
    if redis.call('SCARD', key) == 1 then
      redis.call('PEXPIREAT', key, wholeNumber((flat[i + 2] + 2) * SEEN_HOUR_MS + dedupMs))
    end
  end
end
