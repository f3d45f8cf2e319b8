// The fields of the broker's answers: what make_model.py prints, of the schemas in schema/.

export interface AsOf {
  event: number
  time: string
}

export interface About {
  name: string
  version: string
  mode: 'lease' | 'observe'
  base_path: string
  time: string
  first_event_time: string | null
  operator: { name: string; role: string } | null
  page: boolean
  http: { connections: number; streams: number; requests: number; refused: number; too_many: number;
    turned_away: number; slow: number }
}

export interface NobodyLeads {
  since: string
  why: string
  help: string
}

export interface BrokerEvent {
  name: string
  version: string
  mode: 'lease' | 'observe'
  started: string
  nobody_leads?: NobodyLeads | null
}

export interface StateEvent extends AsOf {
  evaluated: string
}

export interface ErrorAnswer {
  error: { code: 'usage' | 'unknown' | 'refused' | 'unreachable' | 'io' | 'corrupt' | 'version' | 'elsewhere';
    message: string; file: string | null; line: number | null; column: number | null }
}

export interface Attention {
  since: string | null
  kind: 'nobody-leads' | 'breach' | 'overdue' | 'agent-lost' | 'agent-stopped' | 'agent-refused' | 'degraded' |
    'quarantine' | 'cannot-lead' | 'configuration-not-read' | 'cannot-fence' | 'host-unknown' | 'host-missing' |
    'host-too-small' | 'host-indivisible' | 'host-down' | 'host-reserved' | 'owner-waits' | 'order-forgotten' |
    'clock-differs' | 'over-rate' | 'tables-not-made' | 'offer-too-small' | 'rule-not-written'
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
  from: string | null
}

export interface StatusRow {
  broker: string
  version: string
  time: string | null
  started: string | null
  mode: 'lease' | 'observe'
  frozen: Order | null
  drained: (Order & { cluster: string; half: 'provider' | 'consumer' })[]
  hosts_closed: number
  clusters: { all: number; up: number; degraded: number; pending: number }
  silent: { cluster: string; agent: 'silent' | 'lost' | 'stopped'; last_heard: string | null; then: string | null;
    at: string | null }[]
  leases: { all: number; by_phase: { offered: number; active: number; inactive: number; draining: number };
    in_breach: number }
  slots: { exported: number; provider: number; provider_used: number; consumers: number; consumers_used: number;
    in_transfer: number; unallocated: number }
  transfers: { open: number; oldest_since: string | null }
  tables: { file: string; made: string | null; every_ms: number; failing: string | null } | null
  attention: number
  freeze_ahead: Order | null
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
  mode: 'lease' | 'observe'
  frozen: boolean
  drain: Order & { half: 'provider' | 'consumer' } | null
  left: number | null
  in_quarantine: number
  unanswered: number
  work?: { pending: number | null; demand: { slots_per_host: number; hosts: number; limit: '1m' | '5m' | '15m' |
    '1h' | '4h' | '1d' | 'longer' | 'unknown'; oldest: string | null; jobs: number; slots: number;
    host_types: string[]; whole?: boolean }[] | null; ending: { slots: { left: '1m' | '5m' | '15m' | '1h' | '4h' |
    '1d' | 'longer' | 'unknown'; slots: number }[]; error_milli: number | null } | null }
}

export interface Side {
  available: number
  used: number
  idle: number
}

export interface Lease {
  id: string
  policy: string
  group: string
  provider: string
  consumer: string
  type: 'shared' | 'exclusive' | 'plan'
  rule: 'exclusive' | 'idle-comparison' | 'demand-aware' | 'ownership' | 'share-ratio' | 'hybrid'
  phase: 'offered' | 'active' | 'inactive' | 'draining' | 'closed'
  epoch: number
  slots: number
  in_transfer: number
  provider_slots: Side
  consumer_slots: Side
  pending: { provider: number | null; consumer: number | null }
  last_flip: string | null
  next_evaluation: string | null
  reason: string
  flips: number
  moving: number
  slots_down: { provider: number; consumer: number }
  mode: 'lease' | 'observe'
  frozen: boolean
}

export interface LeaseHost {
  host: string
  exported: number
  provider_slots: number
  consumer_slots: number
  in_transfer: number
  unallocated: number
  state: 'ok' | 'closed' | 'closed-for-consumer' | 'provider-down' | 'consumer-down' | 'down' | 'unknown'
  provider_used: number
  consumer_used: number
}

export interface Transfer {
  id: number
  from: string
  to: string | null
  slots: number
  step: 'releasing' | 'granting'
  since: string
  lowering: 'release' | 'reclaim' | 'shrink'
  reason: string
  slots_released: number
  deadline: string | null
  agent_chooses: boolean
}

export interface HistoryRow {
  id: number
  time: string
  kind: string
  lease: string | null
  epoch: number | null
  reason: string | null
  slots: number | null
  from: string | null
  to: string | null
  numbers: Record<string, number> | null
  by: string | null
  cluster?: string | null
  verb: string | null
  object: string | null
  options: string | null
  where: string | null
  why: string | null
  rule_reason: string | null
  job: string | null
  user: string | null
  fate: 'ended-well' | 'failed' | 'requeued' | 'ended' | 'spared' | 'unknown' | null
  exit_code: number | null
  session: string | null
  account: string | null
}

export interface LeaseDetail extends Lease {
  since: string | null
  quarantined: boolean
  hosts: LeaseHost[]
  transfers: Transfer[]
  decisions: HistoryRow[]
}

export interface Condition {
  condition: 'observe' | 'frozen' | 'freeze-ahead' | 'drained' | 'lost' | 'stopped' | 'silent' | 'degraded' |
    'host-unknown' | 'closed' | 'host-absent' | 'host-down' | 'more-hosts'
  subject: string | null
  sentence: string
  then: string | null
  at: string | null
  command: string | null
}

export interface ShadowSaid {
  rule: 'exclusive' | 'idle-comparison' | 'demand-aware'
  reason: string
  sentence: string
  slots: number
  from: string | null
  to: string | null
  rule_reason: string
  same: boolean
  numbers: Record<string, number>
  evaluated_at: string | null
}

export interface Explain {
  id: string
  kind: 'lease'
  phase: 'offered' | 'active' | 'inactive' | 'draining' | 'closed'
  conditions: Condition[]
  reason: string
  sentence: string
  numbers: Record<string, number>
  now: { provider_slots: Side; consumer_slots: Side }
  waits_for: string | null
  would_change: string[]
  evaluated_at: string | null
  orders: (Order & { verb: 'freeze' | 'drain' | 'close'; object: string })[]
  shadow: ShadowSaid | null
}

export interface OtherExplain {
  id: string
  kind: 'cluster' | 'host' | 'consumer'
  sentence: string
  reason: string | null
  numbers: Record<string, number>
  needs: Attention[]
  leases: { id: string; role: 'provider' | 'consumer'; slots: number; used: number; reason: string; sentence: string;
    waits_for: string | null }[]
  leases_left: number
  work: string[]
  waiting?: { jobs: number; wants: string; obstacles: { of: string; role: 'provider' | 'consumer';
    obstacle: 'not-started' | 'on-way' | 'idle-of-other' | 'offer-too-small' | 'unused-before' | 'quota' | 'in-use' |
    'limit' | 'host-down' | 'slots-few' | 'hosts-few' | 'width' | 'whole' | 'host-type' | 'no-leaf'; sentence: string;
    would_change: string[] }[] }[]
  waits_for: string | null
  would_change: string[]
  evaluated_at: string | null
}

export interface Premise {
  basis: 'idle' | 'in-transfer' | 'running' | 'other-side' | 'others' | 'waiting' | 'limit' | 'exclusive' |
    'draining' | 'window' | 'host-away' | 'frozen' | 'observe' | 'quarantine' | 'breach' | 'degraded' | 'agent-lost' |
    'not-made' | 'ending-unreported' | 'not-obliged'
  slots: number | null
  sentence: string
}

export interface Moment {
  at: string | null
  rests_on: Premise[]
}

export interface Forecast {
  id: string
  kind: 'lease' | 'consumer'
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

export interface UsedBy {
  cluster: string
  by: 'user' | 'account' | 'session' | 'user-account'
  name: string | null
  counted: 'named' | 'others' | 'unnamed'
  used_slot_s: number
  counted_until: string
}

export interface Compared {
  lease: string
  policy: string
  provider: string | null
  consumer: string
  rule: 'exclusive' | 'idle-comparison' | 'demand-aware'
  shadow: 'exclusive' | 'idle-comparison' | 'demand-aware'
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
  demand: number
  wants?: number
  allocated: number
  owned: number
  reserved: number
  limit: number | null
  quota: number
  borrowed: number
  lent: number
  shared: number
  free: number
  change: number
  resource_group: string
  cluster: string | null
  owned_in_use: number
  borrowed_from: Record<string, number>
  lent_to: Record<string, number>
  reason: string
  evaluated_at: string | null
  values?: { key: string; value: unknown; from: string | null }[]
  scheduling?: { policy: string; criteria: string; selective_reclaim: boolean; chooses_hosts: boolean;
    preemption_scope: string; reclaim_optimization: string } | null
}

export interface Host {
  host: string
  cluster: string
  local_name: string | null
  state: 'ok' | 'down' | 'asleep' | 'waking' | 'not-now' | 'closed' | 'absent' | 'unknown'
  slots: number | null
  exported: number
  unallocated: number
  used: number | null
  used_by_owner: number | null
  in_quarantine: boolean
  leased_to: { cluster: string; slots: number; used: number; withheld: number }[]
  closed_for: string[]
  closed: Order | null
  closed_for_orders: (Order & { cluster: string })[]
  down: { cluster: string; since: string | null; why: string }[]
  divisible: boolean | null
  division: { cluster: string; says: 'unsaid' | 'divisible' | 'divisible-by-operator' | 'other-reason' |
    'whole-nodes' | 'pinned-cores' | 'memory' | 'devices' | 'by-operator' }[]
  horizon: { reservation: string; from: string | null; until: string | null; begun?: boolean; closed_to: string[];
    work_ends_from?: string | null } | null
  window_ends: { cluster: string; at: string | null }[]
}

export interface Policy {
  policy: string
  provider: string
  hosts: string[]
  slots_per_host: number | null
  select: string | null
  nhosts: number | null
  distribution: { cluster: string; shares: number }[]
  type: 'shared' | 'exclusive' | 'plan'
  rule: 'exclusive' | 'idle-comparison' | 'demand-aware' | 'ownership' | 'share-ratio' | 'hybrid'
  shadow: 'exclusive' | 'idle-comparison' | 'demand-aware' | null
  unit: 'slot' | 'host'
  initial_slots: number
  min_hold_ms: number | null
  use_by_ms: number | null
  provider_first: boolean
  reclaim_grace_ms: number
  mem_mb: number
  swap_mb: number
  reselect: boolean
  window: { days: ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[]; from: string; to: string }[]
  timezone: string
  reclaim_delay_ms: number
  open: boolean
  changes_at: string | null
  leases: number
  source: string
  values?: { key: string; value: unknown; from: string }[]
  resource_group: string | null
  by_host: boolean | null
  unknown_hosts: string[]
  indivisible_hosts: { host: string; slots: number; division: 'unsaid' | 'divisible' | 'divisible-by-operator' |
    'other-reason' | 'whole-nodes' | 'pinned-cores' | 'memory' | 'devices' | 'by-operator'; mend: string }[]
}
