-- Where the last accepted agent of a cluster ran and what it kept its state in; empty: not known.
ALTER TABLE cluster ADD COLUMN machine      TEXT    NOT NULL DEFAULT '';
ALTER TABLE cluster ADD COLUMN machine_boot TEXT    NOT NULL DEFAULT '';
ALTER TABLE cluster ADD COLUMN state_file   INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cluster ADD COLUMN process      INTEGER NOT NULL DEFAULT 0;

-- Where time was set back: what is looked up by time is looked up between these.
CREATE INDEX event_clock_set ON event (id) WHERE kind = 'clock-set';
