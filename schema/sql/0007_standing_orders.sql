-- What operators ordered and did not take back: who, whence, why, since and until when (BLOB; empty:
-- of a database that did not keep it). Drains by half; slots withheld on hosts that are down.

-- Of what the cluster imports; `draining` of an older database meant both halves.
ALTER TABLE cluster RENAME COLUMN draining TO draining_imports;
ALTER TABLE cluster ADD COLUMN draining_exports INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cluster ADD COLUMN imports_order BLOB;
ALTER TABLE cluster ADD COLUMN exports_order BLOB;
UPDATE cluster SET draining_exports = draining_imports;

ALTER TABLE host ADD COLUMN down_since_ms INTEGER;     -- where not up
ALTER TABLE broker ADD COLUMN freeze_order BLOB;       -- where frozen
-- The last order left the member what its jobs use: the owner of the host calls it down.
ALTER TABLE holding ADD COLUMN withheld INTEGER NOT NULL DEFAULT 0;
