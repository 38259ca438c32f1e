-- Checkpoints: what all rows below some positions come to, so that nobody has to read a season's rows again.

CREATE TABLE board_checkpoint (
  tag text COLLATE "C" PRIMARY KEY,
  -- Of the entries: scores of one definition mean nothing under another.
  definition_hash text COLLATE "C" NOT NULL,
  -- [{"source", "partition", "next"}, ...]: the entries are the fold of the rows below these.
  positions jsonb NOT NULL,
  -- In which rows were read last: what a transaction changed that it does not show is missing.
  snapshot pg_snapshot NOT NULL,
  -- Of the database cluster that numbered the transactions: a restored dump compares them with those of another one.
  system_identifier bigint NOT NULL,
  -- Entries of periods that were not kept any more then are gone.
  dropped_at timestamptz NOT NULL,
  -- Of the last step; null: there was none yet.
  updated_at timestamptz
);

CREATE TABLE board_checkpoint_entry (
  tag text COLLATE "C" NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  list text COLLATE "C" NOT NULL,
  -- Packed.
  score bigint NOT NULL,
  -- The subject before the list: his entries in all lists are what is replaced and looked up together.
  PRIMARY KEY (tag, subject_id, list)
);

-- A kept row that was voided or corrected, written in the same transaction: whoever counted it before folds its subject anew.
CREATE TABLE dirty_subject (
  xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  player_id text COLLATE "C" NOT NULL,
  mode text COLLATE "C" NOT NULL,
  scopes jsonb NOT NULL,
  achieved_at timestamptz NOT NULL,
  -- Of the row, not of the order: a checkpoint that has not come to it yet counts it as it is now.
  source text COLLATE "C" NOT NULL,
  source_partition integer NOT NULL,
  source_offset bigint NOT NULL
);
CREATE INDEX dirty_subject_xid ON dirty_subject (xid);

-- UTC days whose rows were taken out of match_results.
CREATE TABLE detached_day (
  day date PRIMARY KEY,
  detached_at timestamptz NOT NULL DEFAULT now()
);

-- Rows of a range of positions: they lie together, as they came, but for the partitions of the log, whose offsets mix; several
-- ranges for each block range tell them apart. Days that are made later copy the index from here.
CREATE INDEX match_results_offset ON match_results
  USING brin (source_offset int8_minmax_multi_ops) WITH (pages_per_range = 32, autosummarize = on);
