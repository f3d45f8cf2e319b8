-- What a cluster's work looks like, as its agent tells it: the shapes in which it waits, when what
-- runs is expected to end (BLOB; empty: its agent does not tell).
ALTER TABLE cluster ADD COLUMN work BLOB;
