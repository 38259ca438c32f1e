-- Appends the changes of a call to the tag's stream, under a new epoch where the server is a new one.
-- `applied` is flat, as the stream has it: list, player, score before, rank before, score, rank, at, label, ...; false is
-- absent.
-- Answers what the caller has to set in meta, flat: field, text, ...
local function appendChanges(changes, epoch, seq, replid, freshEpoch, keptChanges, applied)
  local updates = {}
  -- A new server is a new history: a promoted replica may lack the last entries and would reuse their seqs.
  local server = replicationId()
  if server ~= replid then
    epoch = freshEpoch
    updates = { 'epoch', wholeNumber(epoch), 'replid', server }
  end
  local count = #applied / 8
  if count == 0 then return updates end

  local fromSeq, toSeq = seq + 1, seq + count
  local id, oldest = wholeNumber(toSeq) .. '-0', wholeNumber(math.max(toSeq - keptChanges, 0))
  local set = cmsgpack.pack({ epoch, fromSeq, toSeq, applied })
  if redis.pcall('XADD', changes, 'MINID', '~', oldest, id, 'c', set).err then
    -- Another type or a later id stands there: somebody's hand. Applied changes must not stay untold, so start anew.
    epoch = freshEpoch
    redis.call('DEL', changes)
    redis.call('XADD', changes, id, 'c', cmsgpack.pack({ epoch, fromSeq, toSeq, applied }))
    updates[#updates + 1] = 'epoch'
    updates[#updates + 1] = wholeNumber(epoch)
  end
  updates[#updates + 1] = 'seq'
  updates[#updates + 1] = wholeNumber(toSeq)
  return updates
end
