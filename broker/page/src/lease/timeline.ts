// Timeline: who held and used what of a lease, folded out of the history's rows by the numbers that
// were recorded. Between two records the numbers stand still: what was not recorded is not invented.
// Pure.
import type { HistoryRow } from '../model.ts'

export interface Point {
  t: number               // ms
  providerHeld: number | null
  providerUsed: number | null
  consumerHeld: number | null
  consumerUsed: number | null
  providerWants: number | null
  consumerWants: number | null
  moving: number
  quota: number | null    // of a plan's consumer
  demand: number | null
}

export interface Mark { t: number; id: number; slots: number; from: string | null; to: string | null;
                        reason: string | null; kind: string }
export interface Band { kind: string; from: number; to: number }
export interface Timeline { points: Point[]; marks: Mark[]; bands: Band[] }

export interface Sides { provider: string; consumer: string; plan: boolean }

const START: Point = { t: 0, providerHeld: null, providerUsed: null, consumerHeld: null,
  consumerUsed: null, providerWants: null, consumerWants: null, moving: 0, quota: null, demand: null }

/// Each band has an event that begins it and events that end it.
const BANDS: readonly [string, string, readonly string[]][] = [
  ['offered', 'lease-offered', ['lease-made', 'group-closed']],
  ['draining', 'group-draining', ['group-closed']],
  ['breach', 'breach', ['breach-over', 'group-closed']],
  ['in transfer', 'transfer-started', ['transfer-done', 'transfer-failed', 'group-closed']]
]

function sum(a: number | null, b: number): number | null {
  return a === null ? null : Math.max(0, a + b)
}

function evaluated(point: Point, numbers: Record<string, number>): void {
  point.providerHeld = numbers.provider_available ?? null
  point.providerUsed = numbers.provider_used ?? null
  point.consumerHeld = numbers.consumer_available ?? null
  point.consumerUsed = numbers.consumer_used ?? null
  point.providerWants = numbers.provider_pending ?? null
  point.consumerWants = numbers.consumer_pending ?? null
}

function moved(point: Point, row: HistoryRow, sides: Sides): void {
  const slots = row.slots ?? 0
  if (row.kind === 'transfer-released') {
    if (row.from === sides.provider) point.providerHeld = sum(point.providerHeld, -slots)
    if (row.from === sides.consumer) point.consumerHeld = sum(point.consumerHeld, -slots)
    point.moving += slots
  } else {
    if (row.to === sides.provider) point.providerHeld = sum(point.providerHeld, slots)
    if (row.to === sides.consumer) point.consumerHeld = sum(point.consumerHeld, slots)
    point.moving = Math.max(0, point.moving - slots)
  }
}

function apply(point: Point, row: HistoryRow, sides: Sides): boolean {
  const numbers = row.numbers ?? {}
  switch (row.kind) {
    case 'evaluation':
    case 'flip':
    case 'observed':
      if (sides.plan || numbers.provider_available === undefined) return false
      evaluated(point, numbers)
      return true
    case 'consumer':
      point.consumerHeld = numbers.allocated ?? null
      point.quota = numbers.quota ?? null
      point.demand = numbers.demand ?? null
      return true
    case 'exported':
      if (!sides.plan) {
        point.consumerHeld ??= 0
        point.providerHeld = Math.max(0, (numbers.exported ?? 0) - point.consumerHeld - point.moving)
      }
      return true
    case 'quarantine-over':
      if (!sides.plan) {
        point.providerHeld = numbers.held_provider ?? null
        point.consumerHeld = numbers.held_consumer ?? null
        point.moving = numbers.in_transfer ?? 0
      }
      return true
    case 'transfer-released':
    case 'transfer-granted':
      if (!sides.plan) moved(point, row, sides)
      return true
    default:
      return false
  }
}

function bandsOf(rows: readonly HistoryRow[], end: number): Band[] {
  const found: Band[] = []
  for (const [kind, begins, ends] of BANDS) {
    let from: number | null = null
    for (const row of rows) {
      if (row.kind === begins) from ??= Date.parse(row.time)
      else if (from !== null && ends.includes(row.kind)) {
        found.push({ kind, from, to: Date.parse(row.time) })
        from = null
      }
    }
    if (from !== null) found.push({ kind, from, to: end })
  }
  return found
}

/// `rows`: of one lease, ascending. `end`: until when the last is still so.
export function timelineOf(rows: readonly HistoryRow[], sides: Sides, end: number): Timeline {
  const points: Point[] = []
  const marks: Mark[] = []
  let now: Point = START
  for (const row of rows) {
    const t = Date.parse(row.time)
    const next = { ...now, t }
    if (row.kind === 'flip' || row.kind === 'observed') {
      marks.push({ t, id: row.id, slots: row.slots ?? 0, from: row.from, to: row.to,
        reason: row.reason, kind: row.kind })
    }
    if (!apply(next, row, sides)) continue
    now = next
    if (points.at(-1)?.t === t) points.pop()  // several of one instant: as it was after it
    points.push(now)
  }
  if (points.length > 0 && end > now.t) points.push({ ...now, t: end })
  return { points, marks, bands: bandsOf(rows, end) }
}
