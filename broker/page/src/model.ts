// The rows of the broker's answers, as schema/json says; only fields that the page shows.

export interface AsOf { event: number; time: string }
export interface Answer<T> { as_of: AsOf; result: T; next?: string | null }

export interface About {
  name: string
  version: string
  mode: 'lease' | 'observe'
  base_path: string
  time: string
  first_event_time: string | null
  operator: { name: string; role: string } | null
  page: boolean
}

export interface Attention {
  since: string | null
  kind: string
  subject: string | null
  reason: string | null
  detail: string
  then: string | null
  at: string | null
  command: string | null
}

export interface Order {
  by: string | null
  where: string | null
  why: string | null
  since: string | null
  until: string | null
}

/// `status`: the site on one screen.
export interface StatusRow {
  broker: string
  version: string
  mode: 'lease' | 'observe'
  frozen: Order | null
  drained: (Order & { cluster: string; half: string })[]
  hosts_closed: number
  clusters: { all: number; up: number; degraded: number; pending: number }
  leases: { all: number; by_phase: Record<string, number>; in_breach: number }
  slots: { exported: number; provider: number; provider_used: number; consumers: number; consumers_used: number;
           in_transfer: number; unallocated: number }
  transfers: { open: number; oldest_since: string | null }
  attention: number
}

export interface Cluster {
  cluster: string
  remote: string | null
  flow: 'import' | 'export' | null
  status: 'ok' | 'conn' | 'disc'
  reason: string | null
  detail: string | null
  agent: 'up' | 'lost' | 'refused' | 'degraded'
  agent_version: string | null
  last_report: string | null
  last_heard: string | null
  clock_off_ms: number | null
  clock_off_error_ms: number | null
  leases_return: string | null
  slots: { own: number; exported: number; imported: number }
  leases: number
  draining: boolean
  late_since: string | null
  malformed: number
  dropped: number
  stopped: boolean
  mode: string
  frozen: boolean
  drain: (Order & { half: string }) | null
  left: number | null
}

export interface Side { available: number; used: number; idle: number }

export interface Lease {
  id: string
  policy: string
  group: string
  provider: string
  consumer: string
  type: string
  rule: string
  phase: 'offered' | 'active' | 'inactive' | 'draining' | 'closed'
  epoch: number
  slots: number
  in_transfer: number
  moving: number
  provider_slots: Side
  consumer_slots: Side
  slots_down: { provider: number; consumer: number }
  pending: { provider: number | null; consumer: number | null }
  last_flip: string | null
  next_evaluation: string | null
  reason: string
  flips: number
  mode: string
  frozen: boolean
}

export interface LeaseHost {
  host: string
  exported: number
  provider_slots: number
  consumer_slots: number
  in_transfer: number
  unallocated: number
  state: string
  provider_used: number
  consumer_used: number
}

export interface Transfer {
  id: number
  from: string
  to: string | null
  slots: number
  step: string
  since: string
  lowering: string
  reason: string
  slots_released: number
  deadline: string | null
}

export interface HistoryRow {
  id: number
  time: string
  kind: string
  lease: string | null
  cluster?: string | null
  epoch: number | null
  reason: string | null
  slots: number | null
  from: string | null
  to: string | null
  numbers: Record<string, number> | null
  by: string | null
  verb: string | null
  object: string | null
  options: string | null
  where: string | null
  why: string | null
}

export interface LeaseDetail extends Lease {
  since: string | null
  quarantined: boolean
  hosts: LeaseHost[]
  transfers: Transfer[]
  decisions: HistoryRow[]
}

export interface Condition {
  condition: string
  subject: string | null
  sentence: string
  then: string | null
  at: string | null
  command: string | null
}

/// The last decision of the rule that is a shadow of the one in force.
export interface ShadowSaid {
  rule: string
  reason: string
  sentence: string
  slots: number
  from: string | null
  to: string | null
  rule_reason: string
  same: boolean
  evaluated_at: string | null
}

/// `explain` of a lease.
export interface Explain {
  id: string
  kind: 'lease'
  phase: string
  conditions: Condition[]
  reason: string
  sentence: string
  numbers: Record<string, number>
  waits_for: string | null
  would_change: string[]
  evaluated_at: string | null
  shadow?: ShadowSaid | null
}

/// `explain` of what is no lease.
export interface OtherExplain {
  id: string
  kind: 'cluster' | 'host' | 'consumer'
  sentence: string
  reason: string | null
  numbers: Record<string, number>
  needs: Attention[]
  leases: { id: string; role: 'provider' | 'consumer'; slots: number; used: number; reason: string;
            sentence: string; waits_for: string | null }[]
  leases_left: number
  work: string[]
  waits_for: string | null
  would_change: string[]
  evaluated_at: string | null
}

export interface Premise { basis: string; slots: number | null; sentence: string }
export interface Moment { at: string | null; rests_on: Premise[] }

export interface Forecast {
  id: string
  side: 'consumer' | 'provider'
  cluster: string
  slots: number
  time: string
  sentence: string
  possible: boolean
  most: number
  idle: number | null
  earliest: Moment
  likely: Moment
  latest: Moment
  holds: Premise[]
  ending_reported: boolean
  error_milli: number | null
}

export interface Usage {
  cluster: string
  consumer: string | null
  resource_group: string | null
  owned_slot_s: number
  lent_slot_s: number
  borrowed_slot_s: number
  shared_slot_s: number
  in_transfer_slot_s: number
}

/// `compare`: a rule in force beside its shadow.
export interface Compared {
  lease: string
  policy: string
  provider: string | null
  consumer: string
  rule: string
  shadow: string
  evaluations: number
  flips: number
  slots_moved: number
  rule_moves: number
  rule_slots: number
  shadow_moves: number
  shadow_slots: number
  same_ms: number
  differed_ms: number
  reasons: { rule_reason: string; shadow_reason: string; same: boolean; ms: number; evaluations: number }[]
}

export interface Consumer {
  path: string
  resource_group: string
  cluster: string | null
  demand: number
  allocated: number
  owned: number
  owned_in_use: number
  reserved: number
  limit: number | null
  quota: number
  borrowed: number
  lent: number
  shared: number
  free: number
  change: number
  borrowed_from: Record<string, number>
  lent_to: Record<string, number>
  reason: string
  evaluated_at: string | null
}

export interface Host {
  host: string
  cluster: string
  local_name: string | null
  state: string
  slots: number | null
  exported: number
  unallocated: number
  used: number | null
  leased_to: { cluster: string; slots: number; withheld: number }[]
  closed_for: string[]
  closed: Order | null
  down: { cluster: string; since: string | null; why: string }[]
}
