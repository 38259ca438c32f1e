-- PostgreSQL as the result log, and the dead letters of that mode.

-- One row. Its lock makes commit order the order of log_seq, and a rollback leaves no gap.
CREATE TABLE log_head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  last bigint NOT NULL,
  last_at timestamptz NOT NULL
);
INSERT INTO log_head (last, last_at) VALUES (0, 'epoch');

CREATE TABLE result_log (
  log_seq bigint PRIMARY KEY,
  key bytea,
  value bytea,
  broker_at timestamptz NOT NULL
);

CREATE TABLE dead_letter (
  source text COLLATE "C" NOT NULL,
  source_partition integer NOT NULL,
  source_offset bigint NOT NULL,
  key bytea,
  value bytea,
  headers jsonb NOT NULL,
  reason text NOT NULL,
  detail text NOT NULL,
  written_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (source, source_partition, source_offset)
);
