-- Who wrote the leader's row: a restored copy of it, or one that a hand changed, has another xmin or lies in another
-- database, and nobody who takes over from it knows what was committed since (rule 15).
ALTER TABLE leader ADD COLUMN written_by xid8;  -- the transaction, as it called itself
ALTER TABLE leader ADD COLUMN in_database oid;
-- From here on a server is told by an instant and not by its text, which TimeZone and DateStyle change.
UPDATE leader SET server = extract(epoch FROM pg_postmaster_start_time())::text WHERE epoch = 0;
-- Whose brokers lead here, by their own word ([broker] site); '': nobody has said so.
ALTER TABLE leader ADD COLUMN site text NOT NULL DEFAULT '';
