-- Forgets by what a tag is written: positions, marks, hidden players, a fill.
-- A board that is shown stays so to readers of its definition, with its place in the feed, but is stale: it misses what
-- comes from now on, so it is never written again.
local function keepShownOnly(meta)
  local kept = redis.call('HMGET', meta, 'generation', 'epoch', 'seq', 'replid', 'shown', 'shownJob', 'definition', 'last')
  -- A meta of the version before has no `shown`: it shows what it writes; nor has it a job. The very first had no `last`.
  local shown, job, last = kept[5] or kept[7], kept[6] or '', kept[8] or kept[1]
  redis.call('UNLINK', tagKey(meta, 'marks'), tagKey(meta, 'aside'), tagKey(meta, 'hidden'), tagKey(meta, 'settled'))
  redis.call('DEL', meta)
  if not kept[1] then return end
  redis.call('HSET', meta, 'generation', kept[1], 'epoch', kept[2], 'seq', kept[3], 'replid', kept[4],
    'shown', shown, 'shownJob', job, 'last', last, 'stale', 1)
end
