-- Identity of this server's history: new at each restart and promotion, also of a node demoted and promoted back.
local function replicationId()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
end
