-- Forgets by what a tag is written: positions, marks, hidden players, a fill.
-- A board that is shown stays so to readers of its definition, with its place in the feed, but is stale: it misses what
-- comes from now on, so it is never written again.
local function keepShownOnly(meta)
  local kept = redis.call('HMGET', meta, 'generation', 'epoch', 'seq', 'replid', 'shown', 'shownJob', 'definition', 'last')
  redis.call('UNLINK', tagKey(meta, 'marks'), tagKey(meta, 'aside'), tagKey(meta, 'hidden'), tagKey(meta, 'settled'))
  redis.call('DEL', meta)
  if not kept[1] then return end
  -- A meta of the version before has no `shown`: it shows what it writes; nor has it a job.
  redis.call('HSET', meta, 'generation', kept[1], 'epoch', kept[2], 'seq', kept[3], 'replid', kept[4],
    'shown', kept[5] or kept[7], 'shownJob', kept[6] or '', 'last', kept[8], 'stale', 1)
end
