-- What happened: every accepted result once, by day of the match, and how far each log was read.

CREATE TABLE match_results (
  match_id text COLLATE "C" NOT NULL,
  player_id text COLLATE "C" NOT NULL,
  mode text COLLATE "C" NOT NULL,
  points bigint NOT NULL,
  -- All values by name; null where the only one is called points.
  fields jsonb,
  scopes jsonb NOT NULL,
  achieved_at timestamptz NOT NULL,
  -- UTC day of achieved_at: part of the key, because a partitioned table's key must hold what it is cut by.
  day date NOT NULL,
  source text COLLATE "C" NOT NULL,
  source_partition integer NOT NULL,
  source_offset bigint NOT NULL,
  broker_at timestamptz NOT NULL,
  voided_at timestamptz,
  PRIMARY KEY (match_id, player_id, day)
) PARTITION BY RANGE (day);

-- The first offset of a log's partition that truth has not considered; moved in the transaction of its rows.
CREATE TABLE source_position (
  source text COLLATE "C" NOT NULL,
  partition integer NOT NULL,
  next bigint NOT NULL,
  PRIMARY KEY (source, partition)
);
