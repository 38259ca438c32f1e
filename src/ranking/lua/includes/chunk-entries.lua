-- Entries of a chunk, flat as ZADD takes them: packed score text, player id, ...
local function playersOf(entries)
  local players = {}
  for i = 2, #entries, 2 do players[i / 2] = entries[i] end
  return players
end

-- The sum of all scores modulo 2^32; twin of domain/fill-entry.ts.
local function addToChecksum(checksum, entries)
  for i = 1, #entries, 2 do checksum = (checksum + tonumber(entries[i]) % 4294967296) % 4294967296 end
  return checksum
end

-- The entries of those who are not in the set.
local function withoutPlayers(entries, set)
  if #entries == 0 or redis.call('EXISTS', set) == 0 then return entries end
  local isMember, left = redis.call('SMISMEMBER', set, unpack(playersOf(entries))), {}
  for i, memberFlag in ipairs(isMember) do
    if memberFlag == 0 then
      left[#left + 1] = entries[2 * i - 1]
      left[#left + 1] = entries[2 * i]
    end
  end
  return left
end

-- Merges them into a list. A player who is there twice merges twice.
local function mergeEntries(key, merge, entries)
  -- For `best`, ZADD compares by itself; every other rule has to read first.
  if merge.rule == 'best' then return redis.call('ZADD', key, 'GT', unpack(entries)) end
  local players, merged, scored = playersOf(entries), {}, {}
  local stored = redis.call('ZMSCORE', key, unpack(players))
  for i, player in ipairs(players) do
    local current = merged[player] or stored[i] and tonumber(stored[i])
    merged[player] = mergeScores(merge, current, tonumber(entries[2 * i - 1]))
    scored[2 * i - 1], scored[2 * i] = wholeNumber(merged[player]), player
  end
  redis.call('ZADD', key, unpack(scored))
end
