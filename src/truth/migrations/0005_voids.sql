-- Results that were taken back, for good: a void may come before its result, and a result may be sent again after it.

CREATE TABLE voided_result (
  match_id text COLLATE "C" NOT NULL,
  player_id text COLLATE "C" NOT NULL,
  -- The log's stamp of the first void.
  voided_at timestamptz NOT NULL,
  PRIMARY KEY (match_id, player_id)
);
