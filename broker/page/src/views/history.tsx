// History: what happened and was decided, newest first, page by page to the beginning. The search goes
// on through older pages until it has found enough to show.
import { useEffect, useMemo, useState } from 'preact/hooks'
import { again } from '../ask/again.ts'
import { ask, asRefused, isAborted, type Refused } from '../ask/ask.ts'
import type { HistoryRow } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { count, many } from '../parts/text.tsx'
import { Instant } from '../parts/time.tsx'
import { usePlace } from '../place/here.ts'
import type { Args } from '../place/place.ts'
import { facets, holds, matches } from '../table/filter.ts'
import { Filters } from '../table/filters.tsx'
import { Happenings, numbersText } from './happenings.tsx'
import { useTitle } from './title.ts'

const PAGE_ROWS = 200
const SEARCH_PAGES = 20
const ENOUGH = 50
const TYPED_MS = 400

/// The rows before `until`, oldest first; the instant of the oldest itself is asked again, for more may
/// be of that instant.
class Past {
  rows: HistoryRow[] = []
  begun = false      // nothing is older
  error: Refused | undefined
  constructor(private readonly lease: string | undefined, private readonly until: string | undefined,
              private readonly since: string | undefined) {}

  async newer(signal: AbortSignal): Promise<void> {
    const last = this.rows.at(-1)
    if (!last) return this.older(signal)
    for (;;) {
      const after = this.rows.at(-1)!.id
      const { result } = await ask<HistoryRow[]>('history',
        { lease: this.lease, after, limit: PAGE_ROWS }, signal)
      this.rows = [...this.rows, ...result]
      if (result.length < PAGE_ROWS) return
    }
  }

  async older(signal: AbortSignal): Promise<void> {
    const first = this.rows[0]
    const until = first ? new Date(Date.parse(first.time) + 1).toISOString() : this.until
    const { result } = await ask<HistoryRow[]>('history',
      { lease: this.lease, since: this.since, until, limit: PAGE_ROWS, newest: true }, signal)
    const known = new Set(this.rows.map(row => row.id))
    const fresh = result.filter(row => !known.has(row.id))
    this.rows = [...fresh, ...this.rows]
    if (result.length < PAGE_ROWS || fresh.length === 0) this.begun = true
  }
}

function shows(row: HistoryRow, args: Args): boolean {
  return (!args.kind || row.kind === args.kind) && (!args.reason || row.reason === args.reason) &&
    matches(args.cluster, row.cluster ?? row.from ?? row.to) &&
    holds(args.q, [row.kind, row.lease, row.cluster, row.reason, row.from, row.to, row.by, row.verb,
      row.object, row.options, row.where, row.why, numbersText(row), String(row.id)])
}

/// Counts only the rows that name one.
const named = (rows: readonly HistoryRow[], value: (row: HistoryRow) => string | null | undefined) =>
  facets(rows.filter(value), row => value(row)!)

export function History() {
  const { args } = usePlace()
  const which = `${args.lease}\n${args.at}\n${args.since}`
  const [past, setPast] = useState<Past>()
  const [, drawn] = useState(0)
  const [reading, setReading] = useState(false)
  const draw = () => drawn(n => n + 1)

  useEffect(() => {
    const stop = new AbortController()
    const mine = new Past(args.lease, args.at, args.since)
    const once = async () => {
      try {
        await mine.newer(stop.signal)
        mine.error = undefined
      } catch (error) {
        if (isAborted(error)) return false
        mine.error = asRefused(error)
      }
      setPast(mine)
      draw()
      return mine.error === undefined
    }
    void (args.at === undefined ? again(once, stop.signal) : once())
    return () => stop.abort()
  }, [which])

  const rows = past?.rows ?? []
  const selection = `${args.q}\n${args.kind}\n${args.reason}\n${args.cluster}`
  const shown = useMemo(() => rows.filter(row => shows(row, args)).reverse(), [rows, selection])

  const older = async () => {
    if (!past || reading) return
    setReading(true)
    const found = () => past.rows.filter(row => shows(row, args)).length
    const before = found()
    try {
      const signal = new AbortController().signal
      for (let page = 0; page < SEARCH_PAGES && !past.begun && found() < before + ENOUGH; ++page) {
        await past.older(signal)
        draw()
      }
    } catch (error) {
      past.error = asRefused(error)
    }
    setReading(false)
  }
  const sought = selection.replaceAll('undefined', '').trim() !== ''
  // A search finds rows however old they are: some pages at once, more when asked.
  useEffect(() => {
    if (!past || !sought || past.begun || shown.length >= ENOUGH) return
    const timer = setTimeout(() => void older(), TYPED_MS)
    return () => clearTimeout(timer)
  }, [selection, past])
  useTitle('History')
  return <>
    <h1>History</h1>
    <Answered error={past?.error} ready={past !== undefined}>
      <Filters text="Search in history" choices={[
        { arg: 'kind', title: 'Kind', values: facets(rows, row => row.kind) },
        { arg: 'reason', title: 'Reason', values: named(rows, row => row.reason) },
        { arg: 'lease', title: 'Lease', typed: true, values: named(rows, row => row.lease) },
        { arg: 'cluster', title: 'Cluster', typed: true, values: named(rows, row => row.cluster) }]} />
      <p class="summary">{many(shown.length, 'event')}{shown.length < rows.length && ` of ${count(rows.length)} read`}
        {rows[0] && <> · back to <Instant of={rows[0].time} day /></>}{past?.begun && ', the beginning'}</p>
      <Happenings rows={shown} />
      {past && !past.begun && <p><button type="button" onClick={() => void older()} disabled={reading}>
        {reading ? 'Reading …' : 'Older'}</button></p>}
    </Answered>
  </>
}
