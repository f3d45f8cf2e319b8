-- Resource plans as they are carried out: one slot group per export policy of a resource group,
-- whose members are the clusters of the plan's leaves; what its consumers have and are due.

ALTER TABLE slot_group ADD COLUMN plan INTEGER;     -- number in resource_group; NULL: a lease
ALTER TABLE member ADD COLUMN consumer INTEGER;     -- number in plan_consumer; NULL: no leaf
ALTER TABLE holding ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
ALTER TABLE transfer ADD COLUMN grace_ms INTEGER NOT NULL DEFAULT 0;

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
  resource_group   INTEGER NOT NULL REFERENCES resource_group (number),
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
  gained_at_ms     INTEGER,           -- anti-flap, as all that follow but the last
  backoff_until_ms INTEGER,
  backoffs         INTEGER NOT NULL,
  loans            BLOB,              -- what it borrowed, by lender
  PRIMARY KEY (resource_group, number)
) STRICT, WITHOUT ROWID;

-- How often slots went to and fro between two consumers.
CREATE TABLE plan_pair (
  resource_group INTEGER NOT NULL REFERENCES resource_group (number),
  number         INTEGER NOT NULL,
  from_consumer  INTEGER NOT NULL,    -- of the last move
  to_consumer    INTEGER NOT NULL,
  flips          INTEGER NOT NULL,
  moved_at_ms    INTEGER NOT NULL,
  in_a_row       INTEGER NOT NULL,
  PRIMARY KEY (resource_group, number)
) STRICT, WITHOUT ROWID;

-- The views again, for groups that have several leases.
DROP VIEW ledger;
DROP VIEW lease;

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
       gh.in_transfer
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
