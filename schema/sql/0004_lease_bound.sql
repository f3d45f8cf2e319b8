-- How long after its last renewal a cluster's work may go on on leased slots, by whatever it was
-- told; 0: for ever. Clusters of an older database were told nothing.
ALTER TABLE cluster ADD COLUMN lease_bound_ms INTEGER NOT NULL DEFAULT 0;
