-- Credentials beside player tokens: keys of overlays and screens, and tickets that count once.

-- A key is shown when it is made and then known by its hash alone. Rows stay, so that whoever comes with a key that was revoked
-- is told so, and not that it never was.
CREATE TABLE access_key (
  key_id text COLLATE "C" PRIMARY KEY,
  -- SHA-256; 256 random bits need no slower one.
  key_hash bytea NOT NULL UNIQUE,
  title text NOT NULL,
  -- Board ids, and names of window kinds: what it opens, and nothing else.
  boards text[] COLLATE "C" NOT NULL,
  windows text[] COLLATE "C" NOT NULL,
  -- Whose me and friends these are; null: nobody's.
  player_id text COLLATE "C",
  created_at timestamptz NOT NULL DEFAULT now(),
  -- Null: never.
  expires_at timestamptz,
  revoked_at timestamptz,
  CHECK (player_id IS NOT NULL OR NOT windows && ARRAY['me', 'friends'])
);

-- Deleted by whoever redeems one; those that nobody came with, by later writes.
CREATE TABLE socket_ticket (
  ticket_hash bytea PRIMARY KEY,
  -- Of a player, with the end of the token that he came with (null: it has none),
  player_id text COLLATE "C",
  token_expires_at timestamptz,
  -- or of a key, which is looked up again when the ticket is redeemed.
  key_id text COLLATE "C" REFERENCES access_key ON DELETE CASCADE,
  expires_at timestamptz NOT NULL,
  CHECK (num_nonnulls(player_id, key_id) = 1)
);
CREATE INDEX socket_ticket_expires_at ON socket_ticket (expires_at);
