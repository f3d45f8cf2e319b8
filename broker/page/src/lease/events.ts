// The rows of one lease's history for its timeline: of the last stretch of time, read to its end and
// then gone on with.
import { useEffect, useState } from 'preact/hooks'
import { again } from '../ask/again.ts'
import { ask, asRefused, isAborted, type Refused } from '../ask/ask.ts'
import type { HistoryRow } from '../model.ts'
import { brokerNow } from '../live/clock.ts'

const PAGE_ROWS = 1000
const ROWS_MAX = 20_000

export interface Events { rows: readonly HistoryRow[]; cut: boolean; error: Refused | undefined }

/// `last`: ms before now, or before `at`; 0: from the beginning.
export function useEvents(lease: string, last: number, at: string | undefined): Events | undefined {
  const [events, set] = useState<Events & { of: string }>()
  const of = `${lease}\n${last}\n${at}`
  useEffect(() => {
    const stop = new AbortController()
    const end = at === undefined ? brokerNow() : Date.parse(at)
    const since = last === 0 ? undefined : new Date(end - last).toISOString()
    let rows: HistoryRow[] = []
    const once = async () => {
      try {
        for (;;) {
          const after = rows.at(-1)?.id
          const { result } = await ask<HistoryRow[]>('history',
            { lease, since, until: at, after, limit: PAGE_ROWS, at: undefined }, stop.signal)
          rows = rows.concat(result)
          if (result.length < PAGE_ROWS || rows.length >= ROWS_MAX) break
        }
        set({ of, rows, cut: rows.length >= ROWS_MAX, error: undefined })
        return true
      } catch (error) {
        if (isAborted(error)) return false
        set({ of, rows, cut: false, error: asRefused(error) })
        return false
      }
    }
    void (at === undefined ? again(once, stop.signal) : once())
    return () => stop.abort()
  }, [of])
  return events?.of === of ? events : undefined
}
