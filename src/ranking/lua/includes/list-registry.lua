-- Which lists a generation has, by the time they are kept until, so that whoever drops the generation finds them.
-- `keptUntil` is in ms; 0 is for ever.
local function isKept(keptUntil, now)
  return keptUntil == 0 or keptUntil > now
end

-- Called with the first row of a list: the key is new, and has lost its time if it was there before. Redis removes the
-- rows when the time comes, and the names of such lists leave the registry here.
local function registerList(meta, generation, name, keptUntil)
  local registry = tagKey(meta, 'lists:' .. generation)
  if keptUntil == 0 then
    redis.call('ZADD', registry, '+inf', name)
  else
    local now = wholeNumber(serverClock())
    redis.call('ZREMRANGEBYSCORE', registry, '-inf', now)
    redis.call('ZADD', registry, wholeNumber(keptUntil), name)
    redis.call('PEXPIREAT', listKey(meta, generation, name), wholeNumber(keptUntil))
  end
end
