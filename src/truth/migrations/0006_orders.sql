-- Orders that change what results count for: other points, and players who are hidden.

-- What a result is changed to. It may come before its result, whose mode is not known then: the last one of each mode is kept.
CREATE TABLE corrected_result (
  match_id text COLLATE "C" NOT NULL,
  player_id text COLLATE "C" NOT NULL,
  mode text COLLATE "C" NOT NULL,
  -- As in match_results.
  points bigint NOT NULL,
  fields jsonb,
  broker_at timestamptz NOT NULL,
  source text COLLATE "C" NOT NULL,
  source_partition integer NOT NULL,
  source_offset bigint NOT NULL,
  PRIMARY KEY (match_id, player_id, mode)
);

-- points and fields of a corrected row are those of its correction; all values by name as they came stay in original_fields,
-- because later copies are measured by them.
ALTER TABLE match_results ADD COLUMN corrected_at timestamptz, ADD COLUMN original_fields jsonb;

-- The last word on each player: hidden, or shown again. Without the latter a replay could hide him once more.
CREATE TABLE hidden_player (
  player_id text COLLATE "C" PRIMARY KEY,
  is_hidden boolean NOT NULL,
  -- The log's stamp of the word.
  broker_at timestamptz NOT NULL,
  source text COLLATE "C" NOT NULL,
  source_partition integer NOT NULL,
  source_offset bigint NOT NULL
);
