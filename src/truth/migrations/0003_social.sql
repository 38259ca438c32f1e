-- Friendships, and the numbered changes that every gateway follows to keep its cached lists right.
-- Schema-relative: tables are created in the connection's search_path.

-- Mutual: (a, b) and (b, a) are both stored, always in one transaction.
CREATE TABLE friendship (
  player_id text COLLATE "C" NOT NULL,
  friend_id text COLLATE "C" NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (player_id, friend_id),
  CHECK (player_id <> friend_id)
);

-- The newest number given out. Its row lock, held to the commit, makes commit order sequence order;
-- a rollback gives the number back, so there are no gaps (a sequence would leave them).
CREATE TABLE social_head (
  last bigint NOT NULL
);
CREATE UNIQUE INDEX social_head_one_row ON social_head ((true));
INSERT INTO social_head (last) VALUES (0);

-- Kept for an hour and then trimmed by later writes; whoever is further behind drops its cache.
CREATE TABLE social_change (
  social_seq bigint PRIMARY KEY,
  kind text NOT NULL,
  player_id text COLLATE "C" NOT NULL,
  friend_id text COLLATE "C" NOT NULL,
  changed_at timestamptz NOT NULL
);
