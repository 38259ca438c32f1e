-- What the rows of a tag's detached days come to: whoever folds its rows anew goes on from there.

CREATE TABLE detached_fold (
  tag text COLLATE "C" PRIMARY KEY,
  -- Of the entries: scores of one definition mean nothing under another.
  definition_hash text COLLATE "C" NOT NULL,
  -- UTC days that the entries are the fold of.
  days date[] NOT NULL,
  -- [{"source", "partition", "next"}, ...]: all rows of the days lie below these.
  positions jsonb NOT NULL
);

CREATE TABLE detached_entry (
  tag text COLLATE "C" NOT NULL,
  subject_id text COLLATE "C" NOT NULL,
  list text COLLATE "C" NOT NULL,
  -- Packed.
  score bigint NOT NULL,
  PRIMARY KEY (tag, subject_id, list)
);
