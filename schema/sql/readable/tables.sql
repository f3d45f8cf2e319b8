-- The readable tables: what the broker knows and what happened, for people and reports. A projection
-- of the log (../0010_log.sql): made from it as of its last event then, and never read by the broker.
-- Times are milliseconds since 1970 (`_ms`), or text in UTC in the views. Numbers of clusters, hosts,
-- policies and members are positions that never change while they are in use. Columns named "last
-- known" are what agents said: a broker that starts forgets them.

-- The row of the log that everything here shows, and when this file was made: `age` has it in words.
CREATE TABLE follows (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  schema     INTEGER NOT NULL,         -- made of this text: another text has another number
  last_event INTEGER NOT NULL,
  batch      INTEGER NOT NULL,
  hash       TEXT NOT NULL,            -- of that row, in hexadecimal
  inode      INTEGER NOT NULL,         -- of this file: a copy has another
  made_ms    INTEGER NOT NULL          -- by the clock of the machine that made it
) STRICT;

-- What happened, as far back as the log goes.
CREATE TABLE event (
  id           INTEGER PRIMARY KEY,  -- from 1, without gaps
  batch        INTEGER NOT NULL,     -- number of the commit that it was written by
  time_ms      INTEGER NOT NULL,     -- never below an earlier one, but after a clock-set
  kind         TEXT NOT NULL,        -- "input-…": given to the core; else a record
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
  rule_reason  TEXT                  -- of a shadow: what the rule in force found there
) STRICT;

CREATE INDEX event_lease ON event (lease) WHERE lease IS NOT NULL;

-- One row.
CREATE TABLE broker (
  one               INTEGER PRIMARY KEY CHECK (one = 1),
  commit_number     INTEGER NOT NULL,
  last_event        INTEGER NOT NULL,
  now_ms            INTEGER NOT NULL,  -- of the last event
  started_ms        INTEGER NOT NULL,  -- last known
  incarnation       INTEGER NOT NULL,  -- last known
  generation_next   INTEGER NOT NULL,
  transfer_next     INTEGER NOT NULL,
  frozen            INTEGER NOT NULL
) STRICT;

CREATE TABLE configuration (
  one     INTEGER PRIMARY KEY CHECK (one = 1),
  name    TEXT NOT NULL,
  mode    TEXT NOT NULL
) STRICT;

-- Instants at which leases are evaluated.
CREATE TABLE grid (
  number    INTEGER PRIMARY KEY,
  delay_ms  INTEGER NOT NULL,
  anchor_ms INTEGER NOT NULL,
  next_ms   INTEGER NOT NULL,
  last_ms   INTEGER NOT NULL
) STRICT;

CREATE TABLE cluster (
  number           INTEGER PRIMARY KEY,
  name             TEXT NOT NULL,
  configured       INTEGER NOT NULL,
  seq              INTEGER NOT NULL,
  draining_imports INTEGER NOT NULL,
  state_id         INTEGER NOT NULL,
  boot             INTEGER NOT NULL,
  contact          TEXT NOT NULL,     -- last known, as all up to program_version
  session          INTEGER NOT NULL,
  configuration    INTEGER NOT NULL,
  pending          INTEGER NOT NULL,
  degraded         INTEGER NOT NULL,
  self_expiring    INTEGER NOT NULL,
  fences_memory    INTEGER NOT NULL,
  fences_swap      INTEGER NOT NULL,
  fences_resources INTEGER NOT NULL,
  program_version  TEXT NOT NULL,
  lease_bound_ms   INTEGER NOT NULL,  -- how long its work may go on after its last renewal; 0: for ever
  machine          TEXT NOT NULL,     -- where its last accepted agent ran; empty: not known
  machine_boot     TEXT NOT NULL,
  state_file       INTEGER NOT NULL,
  process          INTEGER NOT NULL,
  draining_exports INTEGER NOT NULL
) STRICT;

CREATE TABLE host (
  cluster        INTEGER NOT NULL,    -- number in cluster
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
  down_since_ms  INTEGER,             -- where not up
  PRIMARY KEY (cluster, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE policy (
  number          INTEGER PRIMARY KEY,
  name            TEXT NOT NULL,
  provider        TEXT NOT NULL,
  type            TEXT NOT NULL,
  rule            TEXT NOT NULL,
  configured      INTEGER NOT NULL,
  open            INTEGER NOT NULL,   -- inside its windows
  chosen          INTEGER NOT NULL,
  provider_number INTEGER
) STRICT;

CREATE TABLE slot_group (
  generation      INTEGER PRIMARY KEY,
  policy          INTEGER,            -- number in policy
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
  number_0        INTEGER NOT NULL,   -- the last recorded evaluation; names: see the event
  number_1        INTEGER NOT NULL,
  number_2        INTEGER NOT NULL,
  number_3        INTEGER NOT NULL,
  number_4        INTEGER NOT NULL,
  number_5        INTEGER NOT NULL,
  quarantined     INTEGER NOT NULL,   -- last known
  plan            INTEGER             -- number in resource_group; NULL: a lease
) STRICT;

CREATE TABLE member (
  generation INTEGER NOT NULL,        -- of the slot group
  number     INTEGER NOT NULL,        -- of a lease: 0 the provider, 1 the consumer
  cluster    INTEGER NOT NULL,        -- number in cluster
  seq        INTEGER NOT NULL,
  ever_used  INTEGER NOT NULL,
  seq_stated INTEGER NOT NULL,        -- last known, as heard, trusted and breach
  heard      INTEGER NOT NULL,
  trusted    INTEGER NOT NULL,
  breach     INTEGER NOT NULL,
  consumer   INTEGER,                 -- number in plan_consumer; NULL: no leaf
  PRIMARY KEY (generation, number)
) STRICT, WITHOUT ROWID;

-- Of each host: what all members hold + in_transfer + unallocated = exported.
CREATE TABLE group_host (
  generation    INTEGER NOT NULL,
  number        INTEGER NOT NULL,
  host          INTEGER NOT NULL,     -- number among the provider's hosts
  exported      INTEGER NOT NULL,
  target        INTEGER NOT NULL,
  in_transfer   INTEGER NOT NULL,
  unallocated   INTEGER NOT NULL,     -- of a plan: nobody's, and nobody may use them
  just_exported INTEGER NOT NULL,     -- of a plan: use not known yet
  PRIMARY KEY (generation, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE holding (
  generation INTEGER NOT NULL,
  host       INTEGER NOT NULL,        -- number in group_host
  member     INTEGER NOT NULL,        -- number in member
  held       INTEGER NOT NULL,        -- the ledger
  ordered    INTEGER NOT NULL,        -- last known, as stated, used and up
  stated     INTEGER NOT NULL,
  used       INTEGER NOT NULL,
  up         INTEGER NOT NULL,
  due        INTEGER NOT NULL,        -- of a plan: what it decided that the member shall hold
  withheld   INTEGER NOT NULL,        -- the owner of the host calls it down: what jobs use was left
  PRIMARY KEY (generation, host, member)
) STRICT, WITHOUT ROWID;

-- Slots on their way, while they are.
CREATE TABLE transfer (
  generation     INTEGER NOT NULL,
  number         INTEGER NOT NULL,    -- position among the group's open transfers
  id             INTEGER NOT NULL,
  from_member    INTEGER NOT NULL,
  to_member      INTEGER NOT NULL,    -- 65535: nobody
  lowering       TEXT NOT NULL,
  step           TEXT NOT NULL,
  reason         TEXT NOT NULL,
  inactive       INTEGER NOT NULL,
  slots_wanted   INTEGER NOT NULL,
  slots_released INTEGER NOT NULL,
  since_ms       INTEGER NOT NULL,
  deadline_ms    INTEGER,
  grace_ms       INTEGER NOT NULL,
  PRIMARY KEY (generation, number)
) STRICT, WITHOUT ROWID;

-- Resource plans as they are carried out: one slot group per export policy of a resource group,
-- whose members are the clusters of the plan's leaves; what its consumers have and are due.
CREATE TABLE resource_group (
  number          INTEGER PRIMARY KEY,
  name            TEXT NOT NULL,
  configured      INTEGER NOT NULL,
  variant         INTEGER NOT NULL,  -- of its plan, at the last evaluation; 0: outside of windows
  grid            INTEGER NOT NULL,
  consumers       INTEGER NOT NULL,
  pairs           INTEGER NOT NULL,
  evaluated_at_ms INTEGER
) STRICT;

-- The numbers are those of the last recorded evaluation.
CREATE TABLE plan_consumer (
  resource_group   INTEGER NOT NULL,  -- number in resource_group
  number           INTEGER NOT NULL,
  path             TEXT NOT NULL,
  configured       INTEGER NOT NULL,
  reason           TEXT NOT NULL,
  demand           INTEGER NOT NULL,
  allocated        INTEGER NOT NULL,
  quota            INTEGER NOT NULL,
  borrowed         INTEGER NOT NULL,
  lent             INTEGER NOT NULL,
  shared           INTEGER NOT NULL,
  evaluated_at_ms  INTEGER,
  gained_at_ms     INTEGER,           -- anti-flap, as all that follow
  backoff_until_ms INTEGER,
  backoffs         INTEGER NOT NULL,
  PRIMARY KEY (resource_group, number)
) STRICT, WITHOUT ROWID;

-- How often slots went to and fro between two consumers.
CREATE TABLE plan_pair (
  resource_group INTEGER NOT NULL,
  number         INTEGER NOT NULL,
  from_consumer  INTEGER NOT NULL,    -- of the last move
  to_consumer    INTEGER NOT NULL,
  flips          INTEGER NOT NULL,
  moved_at_ms    INTEGER NOT NULL,
  in_a_row       INTEGER NOT NULL,
  PRIMARY KEY (resource_group, number)
) STRICT, WITHOUT ROWID;

-- The views: names instead of numbers. select * from ledger;

-- How old everything here is.
CREATE VIEW age AS
SELECT strftime('%Y-%m-%dT%H:%M:%fZ', f.made_ms / 1000.0, 'unixepoch') AS made,
       CAST(strftime('%s', 'now') AS INTEGER) - f.made_ms / 1000 AS seconds,
       f.last_event,
       strftime('%Y-%m-%dT%H:%M:%fZ', b.now_ms / 1000.0, 'unixepoch') AS last_event_time
FROM follows f, broker b;

-- Of each member the lease that its slots belong to.
CREATE VIEW member_lease AS
SELECT m.generation,
       m.number AS member,
       CASE WHEN g.plan IS NULL
            THEN p.name || ':' ||
                 (SELECT c.name FROM member other JOIN cluster c ON c.number = other.cluster
                  WHERE other.generation = m.generation AND other.number = 1)
            ELSE r.name || coalesce(':' || pc.path, '') ||
                 CASE WHEN EXISTS (SELECT 1 FROM slot_group other
                                   WHERE other.plan = g.plan AND other.phase <> 'closed'
                                     AND other.policy <> g.policy)
                      THEN '@' || p.name ELSE '' END
       END AS lease
FROM member m
JOIN slot_group g ON g.generation = m.generation
JOIN policy p ON p.number = g.policy
LEFT JOIN resource_group r ON r.number = g.plan
LEFT JOIN plan_consumer pc ON pc.resource_group = g.plan AND pc.number = m.consumer;

CREATE VIEW lease AS
SELECT l.lease,
       g.generation,
       p.name AS policy,
       p.provider,
       c.name AS consumer,
       CASE WHEN g.plan IS NULL THEN p.type ELSE 'shared' END AS type,
       CASE WHEN g.plan IS NULL THEN p.rule ELSE 'plan' END AS rule,
       g.phase,
       g.reason,
       g.epoch,
       g.flips,
       (SELECT sum(exported) FROM group_host h WHERE h.generation = g.generation) AS exported,
       (SELECT sum(held) FROM holding h WHERE h.generation = g.generation AND h.member = 0) AS provider_held,
       (SELECT sum(held) FROM holding h WHERE h.generation = g.generation AND h.member = m.number) AS consumer_held,
       (SELECT sum(in_transfer) FROM group_host h WHERE h.generation = g.generation) AS in_transfer,
       strftime('%Y-%m-%dT%H:%M:%fZ', g.since_ms / 1000.0, 'unixepoch') AS since
FROM slot_group g
JOIN policy p ON p.number = g.policy
JOIN member m ON m.generation = g.generation
             AND CASE WHEN g.plan IS NULL THEN m.number = 1 ELSE m.consumer IS NOT NULL END
JOIN cluster c ON c.number = m.cluster
JOIN member_lease l ON l.generation = m.generation AND l.member = m.number;

CREATE VIEW ledger AS
SELECT l.lease,
       h.generation,
       hosts.name || '@' || p.provider AS host,
       c.name AS cluster,
       h.held,
       h.due,
       h.ordered,
       h.stated,
       h.used,
       h.up,
       gh.exported,
       gh.in_transfer,
       gh.unallocated
FROM holding h
JOIN slot_group g ON g.generation = h.generation
JOIN policy p ON p.number = g.policy
JOIN member_lease l ON l.generation = h.generation AND l.member = h.member
JOIN group_host gh ON gh.generation = h.generation AND gh.number = h.host
JOIN member m ON m.generation = h.generation AND m.number = h.member
JOIN cluster c ON c.number = m.cluster
JOIN member owner ON owner.generation = h.generation AND owner.number = 0
JOIN host hosts ON hosts.cluster = owner.cluster AND hosts.number = gh.host
ORDER BY h.generation, h.host, h.member;

CREATE VIEW consumer AS
SELECT r.name AS resource_group,
       c.path,
       c.demand, c.allocated, c.quota, c.borrowed, c.lent, c.shared,
       c.reason,
       strftime('%Y-%m-%dT%H:%M:%fZ', c.evaluated_at_ms / 1000.0, 'unixepoch') AS evaluated_at
FROM plan_consumer c
JOIN resource_group r ON r.number = c.resource_group
WHERE c.configured
ORDER BY c.resource_group, c.number;

CREATE VIEW history AS
SELECT id,
       strftime('%Y-%m-%dT%H:%M:%fZ', time_ms / 1000.0, 'unixepoch') AS time,
       kind, lease, epoch, cluster, reason, slots, from_cluster, to_cluster, numbers, by_whom,
       rule_reason
FROM event
WHERE kind NOT LIKE 'input-%'
ORDER BY id;
