-- The log on PostgreSQL: the same rows and the same hashes as in an SQLite file (../0010_log.sql),
-- and the row by which one broker leads.

CREATE TABLE log (
  first_event  bigint PRIMARY KEY,  -- events count from 1, without gaps
  batch        bigint NOT NULL,     -- number of the commit
  time_ms      bigint NOT NULL,     -- of its first event; never below an earlier one, but for clock_set
  clock_set    boolean NOT NULL,    -- its first event set time back
  core_version integer NOT NULL,    -- that decided it
  epoch        bigint NOT NULL,     -- of the broker's leadership
  body         bytea NOT NULL,
  hash         bytea NOT NULL
);

-- What is looked up by time is looked up between these.
CREATE INDEX log_clock_set ON log (first_event) WHERE clock_set;

-- Nothing shrinks in it, and what is compressed already is not tried again.
ALTER TABLE log ALTER COLUMN body SET STORAGE EXTERNAL;

CREATE TABLE base (
  last_event bigint NOT NULL,
  part       bigint NOT NULL,
  time_ms    bigint NOT NULL,
  body       bytea NOT NULL,
  hash       bytea NOT NULL,
  PRIMARY KEY (last_event, part)
);
ALTER TABLE base ALTER COLUMN body SET STORAGE EXTERNAL;

-- Who leads: one row. Every transaction that changes anything begins with an UPDATE of it that
-- compares what its broker knows of it, and raises `renewal`.
CREATE TABLE leader (
  one          boolean PRIMARY KEY DEFAULT true CHECK (one),
  epoch        bigint NOT NULL,   -- number of the leadership
  incarnation  bigint NOT NULL,   -- random, another one each time somebody takes over
  holder       text NOT NULL,     -- its name, for people
  endpoints    text NOT NULL,     -- where it listens, for people and for those who ask elsewhere
  ttl_ms       bigint NOT NULL,   -- unchanged for so long, and a margin: another may take over
  renewal      bigint NOT NULL,
  log_end      bigint NOT NULL,   -- the last event
  log_hash     bytea NOT NULL,    -- of the row that ends with it
  server       text NOT NULL,     -- the database server as it ran then: when it was started
  stepped_down boolean NOT NULL,  -- nobody leads
  successor    text NOT NULL      -- whose turn it is at once then; '': anybody's
);
INSERT INTO leader VALUES (true, 0, 0, '', '', 0, 0, 0, decode(repeat('00', 32), 'hex'),
                           pg_postmaster_start_time()::text, true, '');

CREATE FUNCTION leasehold_is_final() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the log is never changed'; END $$;
CREATE TRIGGER log_is_final BEFORE UPDATE ON log
  FOR EACH ROW EXECUTE FUNCTION leasehold_is_final();
CREATE TRIGGER base_is_final BEFORE UPDATE ON base
  FOR EACH ROW EXECUTE FUNCTION leasehold_is_final();

CREATE FUNCTION leasehold_log_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM base WHERE last_event >= OLD.first_event) THEN
    RAISE EXCEPTION 'the log is shortened by retention alone';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER log_is_kept BEFORE DELETE ON log
  FOR EACH ROW EXECUTE FUNCTION leasehold_log_is_kept();

CREATE FUNCTION leasehold_base_is_kept() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM base WHERE last_event > OLD.last_event) THEN
    RAISE EXCEPTION 'the newest base is kept';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER base_is_kept BEFORE DELETE ON base
  FOR EACH ROW EXECUTE FUNCTION leasehold_base_is_kept();
