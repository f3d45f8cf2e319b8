-- The log: one row a commit, appended to, never changed. `body`: the inputs of the core, the records
-- that it made of them, and every row of the state that they changed, as it was after them
-- (broker/record/log_body.hpp). `hash` is BLAKE2b-256 over the hash before and all other columns.
-- The numbers before 10 were those of a format that no release had.

CREATE TABLE log (
  first_event  INTEGER PRIMARY KEY,  -- events count from 1, without gaps
  batch        INTEGER NOT NULL,     -- number of the commit
  time_ms      INTEGER NOT NULL,     -- of its first event; never below an earlier one, but for clock_set
  clock_set    INTEGER NOT NULL,     -- 1: its first event set time back
  core_version INTEGER NOT NULL,     -- that decided it
  epoch        INTEGER NOT NULL,     -- 0: one broker had the database to itself
  body         BLOB NOT NULL,
  hash         BLOB NOT NULL
) STRICT;

-- What is looked up by time is looked up between these.
CREATE INDEX log_clock_set ON log (first_event) WHERE clock_set = 1;

-- The whole state after an event, in parts below 1 MiB, of which each carries a hash over the one
-- before it, the first over that of the log. History begins with one where older rows are gone.
CREATE TABLE base (
  last_event INTEGER NOT NULL,
  part       INTEGER NOT NULL,
  time_ms    INTEGER NOT NULL,
  body       BLOB NOT NULL,
  hash       BLOB NOT NULL,
  PRIMARY KEY (last_event, part)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER log_is_final BEFORE UPDATE ON log
BEGIN
  SELECT RAISE(ABORT, 'the log is never changed');
END;

CREATE TRIGGER log_is_kept BEFORE DELETE ON log
WHEN NOT EXISTS (SELECT 1 FROM base WHERE last_event >= OLD.first_event)
BEGIN
  SELECT RAISE(ABORT, 'the log is shortened by retention alone');
END;

CREATE TRIGGER base_is_final BEFORE UPDATE ON base
BEGIN
  SELECT RAISE(ABORT, 'a base is never changed');
END;

CREATE TRIGGER base_is_kept BEFORE DELETE ON base
WHEN NOT EXISTS (SELECT 1 FROM base WHERE last_event > OLD.last_event)
BEGIN
  SELECT RAISE(ABORT, 'the newest base is kept');
END;
