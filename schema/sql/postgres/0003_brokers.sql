-- What each broker tells of itself beside the leader's row: no part of the log, and written without a leadership
-- (rule 1). Nobody's slots go by it. A leader that hears nobody gives its lead to who is come to, by this alone.
CREATE TABLE brokers (
  name     text NOT NULL,
  endpoint text NOT NULL,     -- where its operators reach it
  leads    boolean NOT NULL,
  may_lead boolean NOT NULL,  -- nothing but its turn keeps it from it
  agents   bigint NOT NULL,   -- that it hears, or that come to it though it does not lead
  clusters text NOT NULL,     -- of these, where they said whose they are: a line each
  told     timestamptz NOT NULL,
  PRIMARY KEY (name, endpoint)
);
