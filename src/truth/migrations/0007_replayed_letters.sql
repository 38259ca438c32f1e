-- When a dead letter's record was appended to the log again; null: it waits.

ALTER TABLE dead_letter ADD COLUMN replayed_at timestamptz;
CREATE INDEX dead_letter_waiting ON dead_letter (source, source_offset) WHERE replayed_at IS NULL;
