-- What the broker knows now. Rows are written with the batch that changed them. Numbers of
-- clusters, hosts, policies and members are positions that never change while they are in use.
-- Columns named "last known" are for people: a broker that starts forgets them.

CREATE TABLE broker (
  one               INTEGER PRIMARY KEY CHECK (one = 1),
  commit_number     INTEGER NOT NULL,
  last_event        INTEGER NOT NULL,
  now_ms            INTEGER NOT NULL,
  started_ms        INTEGER NOT NULL,  -- last known
  incarnation       INTEGER NOT NULL,  -- last known
  generation_next   INTEGER NOT NULL,
  transfer_next     INTEGER NOT NULL,
  frozen            INTEGER NOT NULL,
  history_bytes     INTEGER NOT NULL,  -- since the last snapshot
  snapshot_ms       INTEGER NOT NULL   -- time of the last snapshot, or of the first event
) STRICT;

CREATE TABLE configuration (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  name    TEXT NOT NULL,
  mode    TEXT NOT NULL,
  config  BLOB NOT NULL,
  windows BLOB NOT NULL
) STRICT;

CREATE TABLE grid (
  number    INTEGER PRIMARY KEY,
  delay_ms  INTEGER NOT NULL,
  anchor_ms INTEGER NOT NULL,
  next_ms   INTEGER NOT NULL,
  last_ms   INTEGER NOT NULL
) STRICT;

CREATE TABLE cluster (
  number          INTEGER PRIMARY KEY,
  name            TEXT NOT NULL,
  configured      INTEGER NOT NULL,
  seq             INTEGER NOT NULL,
  draining        INTEGER NOT NULL,
  state_id        INTEGER NOT NULL,
  boot            INTEGER NOT NULL,
  contact         TEXT NOT NULL,     -- last known, as all that follow
  session         INTEGER NOT NULL,
  configuration   INTEGER NOT NULL,
  pending         INTEGER NOT NULL,
  degraded        INTEGER NOT NULL,
  self_expiring   INTEGER NOT NULL,
  fences_memory    INTEGER NOT NULL,
  fences_swap      INTEGER NOT NULL,
  fences_resources INTEGER NOT NULL,
  program_version TEXT NOT NULL
) STRICT;

CREATE TABLE host (
  cluster        INTEGER NOT NULL REFERENCES cluster (number),
  number         INTEGER NOT NULL,
  name           TEXT NOT NULL,
  type           TEXT NOT NULL,
  model          TEXT NOT NULL,
  slots          INTEGER NOT NULL,
  mem_mb         INTEGER NOT NULL,
  swap_mb        INTEGER NOT NULL,
  up             INTEGER NOT NULL,
  present        INTEGER NOT NULL,
  closed         INTEGER NOT NULL,
  closed_reclaim INTEGER NOT NULL,
  extra          BLOB,               -- boolean and numeric resources, consumers it is closed for
  PRIMARY KEY (cluster, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE policy (
  number          INTEGER PRIMARY KEY,
  name            TEXT NOT NULL,
  provider        TEXT NOT NULL,
  type            TEXT NOT NULL,
  rule            TEXT NOT NULL,
  configured      INTEGER NOT NULL,
  open            INTEGER NOT NULL,
  chosen          INTEGER NOT NULL,
  provider_number INTEGER,
  config          BLOB NOT NULL,
  due             BLOB NOT NULL
) STRICT;

CREATE TABLE slot_group (
  generation      INTEGER PRIMARY KEY,
  policy          INTEGER,
  grid            INTEGER NOT NULL,
  members         INTEGER NOT NULL,
  hosts           INTEGER NOT NULL,
  phase           TEXT NOT NULL,
  reason          TEXT NOT NULL,
  epoch           INTEGER NOT NULL,
  since_ms        INTEGER NOT NULL,
  last_flip_ms    INTEGER,
  evaluated_at_ms INTEGER,
  flips           INTEGER NOT NULL,
  number_0        INTEGER NOT NULL,  -- the last recorded evaluation; names: see the event
  number_1        INTEGER NOT NULL,
  number_2        INTEGER NOT NULL,
  number_3        INTEGER NOT NULL,
  number_4        INTEGER NOT NULL,
  number_5        INTEGER NOT NULL,
  quarantined     INTEGER NOT NULL   -- last known
) STRICT;

CREATE TABLE member (
  generation INTEGER NOT NULL REFERENCES slot_group (generation) ON DELETE CASCADE,
  number     INTEGER NOT NULL,       -- of a lease: 0 the provider, 1 the consumer
  cluster    INTEGER NOT NULL REFERENCES cluster (number),
  seq        INTEGER NOT NULL,
  ever_used  INTEGER NOT NULL,
  seq_stated INTEGER NOT NULL,       -- last known, as all that follow
  heard      INTEGER NOT NULL,
  trusted    INTEGER NOT NULL,
  breach     INTEGER NOT NULL,
  PRIMARY KEY (generation, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE group_host (
  generation  INTEGER NOT NULL REFERENCES slot_group (generation) ON DELETE CASCADE,
  number      INTEGER NOT NULL,
  host        INTEGER NOT NULL,      -- number among the provider's hosts
  exported    INTEGER NOT NULL,
  target      INTEGER NOT NULL,
  in_transfer INTEGER NOT NULL,
  PRIMARY KEY (generation, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE holding (
  generation INTEGER NOT NULL REFERENCES slot_group (generation) ON DELETE CASCADE,
  host       INTEGER NOT NULL,       -- number in group_host
  member     INTEGER NOT NULL,       -- number in member
  held       INTEGER NOT NULL,       -- the ledger
  ordered    INTEGER NOT NULL,       -- last known, as all that follow
  stated     INTEGER NOT NULL,
  used       INTEGER NOT NULL,
  up         INTEGER NOT NULL,
  PRIMARY KEY (generation, host, member)
) STRICT, WITHOUT ROWID;

CREATE TABLE transfer (
  generation     INTEGER NOT NULL REFERENCES slot_group (generation) ON DELETE CASCADE,
  number         INTEGER NOT NULL,   -- position among the group's open transfers
  id             INTEGER NOT NULL,
  from_member    INTEGER NOT NULL,
  to_member      INTEGER NOT NULL,
  lowering       TEXT NOT NULL,
  step           TEXT NOT NULL,
  reason         TEXT NOT NULL,
  inactive       INTEGER NOT NULL,
  slots_wanted   INTEGER NOT NULL,
  slots_released INTEGER NOT NULL,
  since_ms       INTEGER NOT NULL,
  deadline_ms    INTEGER,
  wanted         BLOB NOT NULL,
  PRIMARY KEY (generation, number)
) STRICT, WITHOUT ROWID;
