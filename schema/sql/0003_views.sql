-- The current tables with names instead of numbers, for people: select * from ledger;

CREATE VIEW lease AS
SELECT p.name || ':' || c.name AS lease,
       g.generation,
       p.name AS policy,
       p.provider,
       c.name AS consumer,
       p.type,
       p.rule,
       g.phase,
       g.reason,
       g.epoch,
       g.flips,
       (SELECT sum(exported) FROM group_host h WHERE h.generation = g.generation) AS exported,
       (SELECT sum(held) FROM holding h WHERE h.generation = g.generation AND h.member = 0) AS provider_held,
       (SELECT sum(held) FROM holding h WHERE h.generation = g.generation AND h.member = 1) AS consumer_held,
       (SELECT sum(in_transfer) FROM group_host h WHERE h.generation = g.generation) AS in_transfer,
       strftime('%Y-%m-%dT%H:%M:%fZ', g.since_ms / 1000.0, 'unixepoch') AS since
FROM slot_group g
JOIN policy p ON p.number = g.policy
JOIN member m ON m.generation = g.generation AND m.number = 1
JOIN cluster c ON c.number = m.cluster;

CREATE VIEW ledger AS
SELECT l.lease,
       l.generation,
       hosts.name || '@' || l.provider AS host,
       c.name AS cluster,
       h.held,
       h.ordered,
       h.stated,
       h.used,
       h.up,
       gh.exported,
       gh.in_transfer
FROM holding h
JOIN lease l ON l.generation = h.generation
JOIN group_host gh ON gh.generation = h.generation AND gh.number = h.host
JOIN member m ON m.generation = h.generation AND m.number = h.member
JOIN cluster c ON c.number = m.cluster
JOIN member owner ON owner.generation = h.generation AND owner.number = 0
JOIN host hosts ON hosts.cluster = owner.cluster AND hosts.number = gh.host
ORDER BY h.generation, h.host, h.member;

CREATE VIEW history AS
SELECT id,
       strftime('%Y-%m-%dT%H:%M:%fZ', time_ms / 1000.0, 'unixepoch') AS time,
       kind, lease, epoch, cluster, reason, slots, from_cluster, to_cluster, numbers, by_whom
FROM event
WHERE kind NOT LIKE 'input-%' AND kind <> 'snapshot'
ORDER BY id;
