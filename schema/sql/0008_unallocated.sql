-- Slots of a plan that no leaf holds are nobody's (schema/wire/PROTOCOL.md, "Plans bind the provider"):
-- held + in_transfer + unallocated = exported. In `transfer`, to_member 65535 is nobody.

ALTER TABLE group_host ADD COLUMN unallocated INTEGER NOT NULL DEFAULT 0;
ALTER TABLE group_host ADD COLUMN just_exported INTEGER NOT NULL DEFAULT 0;  -- use not known yet

-- What lay idle with the provider, or was used by it: once its agent is heard, what runs becomes
-- its leaf's, and the rest is unallocated when the agent has fenced it.
UPDATE group_host SET just_exported =
  max(0, (SELECT held - due FROM holding h
          WHERE h.generation = group_host.generation AND h.host = group_host.number
            AND h.member = 0))
WHERE generation IN (SELECT generation FROM slot_group WHERE plan IS NOT NULL);

DROP VIEW ledger;
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
