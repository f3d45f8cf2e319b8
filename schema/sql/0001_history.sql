-- The history: every input that the core was given and every record that it made of it, in order.
-- Appended to, never changed; `hash` is BLAKE2b-256 over the hash before and all other columns.

CREATE TABLE event (
  id           INTEGER PRIMARY KEY,  -- from 1, without gaps
  batch        INTEGER NOT NULL,     -- number of the commit that it was written by
  time_ms      INTEGER NOT NULL,     -- never below an earlier one
  kind         TEXT NOT NULL,        -- "input-…": given to the core; "snapshot"; else a record
  lease        TEXT,
  generation   INTEGER,              -- of the slot group
  epoch        INTEGER,
  cluster      TEXT,
  reason       TEXT,
  slots        INTEGER,
  from_cluster TEXT,
  to_cluster   TEXT,
  numbers      TEXT,                 -- JSON: what the decision was made from
  by_whom      TEXT,
  payload      BLOB,                 -- of an input: the whole event; of a snapshot: its digest
  hash         BLOB NOT NULL
) STRICT;

CREATE INDEX event_lease ON event (lease) WHERE lease IS NOT NULL;

-- The whole state after an event, from which replay can start. The row of `event` with the same id
-- carries the digest of `state`, so that the chain covers it.
CREATE TABLE snapshot (
  event_id      INTEGER PRIMARY KEY,
  batch         INTEGER NOT NULL,
  time_ms       INTEGER NOT NULL,
  core_version  INTEGER NOT NULL,
  previous_hash BLOB NOT NULL,        -- of the event before, which retention may have removed
  state         BLOB NOT NULL
) STRICT;

-- History starts at this event: 0 with the empty state before event 1, else with a snapshot.
CREATE TABLE history_base (
  one      INTEGER PRIMARY KEY CHECK (one = 1),
  event_id INTEGER NOT NULL
) STRICT;
INSERT INTO history_base VALUES (1, 0);

CREATE TRIGGER event_is_final BEFORE UPDATE ON event
BEGIN
  SELECT RAISE(ABORT, 'history is never changed');
END;

CREATE TRIGGER event_is_kept BEFORE DELETE ON event
WHEN OLD.id >= (SELECT event_id FROM history_base)
BEGIN
  SELECT RAISE(ABORT, 'history is removed by retention alone');
END;

CREATE TRIGGER snapshot_is_final BEFORE UPDATE ON snapshot
BEGIN
  SELECT RAISE(ABORT, 'a snapshot is never changed');
END;

CREATE TRIGGER snapshot_is_kept BEFORE DELETE ON snapshot
WHEN OLD.event_id >= (SELECT event_id FROM history_base)
BEGIN
  SELECT RAISE(ABORT, 'a snapshot is removed by retention alone');
END;
