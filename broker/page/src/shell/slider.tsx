// Any past instant: a slider over the last stretch of time, an exact field, and steps from one flip
// to the next. At its right end it is now.
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../ask/ask.ts'
import { useCell } from '../cell.ts'
import { brokerNow } from '../live/clock.ts'
import type { HistoryRow } from '../model.ts'
import { adjust, usePlace } from '../place/here.ts'
import { inputInstant, inputText, instantText, isoText, zoneText } from '../place/time.ts'
import { zone } from '../place/zone.ts'
import { useShownInstant } from '../parts/time.tsx'

const STEPS = 1000
const MOVED_MS = 250
const HOUR = 3_600_000
const STRETCHES: readonly [string, number][] = [['last hour', HOUR], ['last day', 24 * HOUR],
  ['last week', 168 * HOUR], ['last 30 days', 720 * HOUR], ['all', Infinity]]

async function neighbour(at: number, back: boolean): Promise<string | null> {
  const params = back ? { until: isoText(new Date(at)), newest: true, limit: 1 }
    : { since: isoText(new Date(at + 1)), limit: 1 }
  const { result } = await ask<HistoryRow[]>('history', params)
  return result[0]?.time ?? null
}

export function Slider({ begun }: { begun: number | null }) {
  const { at } = usePlace().args
  const where = useCell(zone)
  const shown = useShownInstant()
  const now = brokerNow()
  const [stretch, setStretch] = useState(1)
  const [dragged, drag] = useState<number | null>(null)
  const timer = useRef(0)
  const first = begun ?? now - 24 * HOUR
  const length = Math.max(1000, Math.min(STRETCHES[stretch]![1], now - first))
  const from = now - length
  const value = dragged ?? (at === undefined ? STEPS : Math.max(0, Math.min(STEPS, (shown - from) * STEPS / length)))
  const instant = dragged === null ? shown : from + dragged * length / STEPS

  // The instant that is shown lies before the stretch: take a longer one.
  useEffect(() => {
    if (at === undefined || shown >= from) return
    const fits = STRETCHES.findIndex(([, ms]) => now - ms <= shown)
    if (fits > stretch) setStretch(fits)
  }, [at])

  const set = (to: number, done: boolean) => {
    clearTimeout(timer.current)
    drag(to)
    timer.current = setTimeout(() => {
      adjust({ at: to >= STEPS ? undefined : isoText(new Date(Math.round(from + to * length / STEPS))) }, done)
      drag(null)
    }, done ? 0 : MOVED_MS)
  }
  const step = async (back: boolean) => {
    const time = await neighbour(at === undefined ? now : shown, back).catch(() => null)
    if (time !== null) adjust({ at: time }, true)
    else if (!back) adjust({ at: undefined }, true)
  }
  const text = value >= STEPS ? 'now' : `${instantText(new Date(instant), where)} ${zoneText(new Date(instant), where)}`
  return <div class="slider" role="group" aria-label="Which instant is shown">
    <select aria-label="How far back the slider reaches" value={stretch}
            onChange={event => setStretch(Number(event.currentTarget.value))}>
      {STRETCHES.map(([name], n) => <option value={n}>{name}</option>)}
    </select>
    <button type="button" class="small" onClick={() => void step(true)} title="the event before"
            aria-label="To the event before">‹</button>
    <input type="range" min={0} max={STEPS} step={1} value={value} aria-label="Instant" aria-valuetext={text}
           onInput={event => set(Number(event.currentTarget.value), false)}
           onChange={event => set(Number(event.currentTarget.value), true)} />
    <button type="button" class="small" disabled={at === undefined} onClick={() => void step(false)}
            title="the event after" aria-label="To the event after">›</button>
    <input type="datetime-local" step={1} aria-label="Exact instant" value={inputText(new Date(instant), where)}
           onChange={event => {
             const date = inputInstant(event.currentTarget.value, where)
             if (date) adjust({ at: date.getTime() >= now ? undefined : isoText(date) }, true)
           }} />
    <button type="button" class="small" disabled={at === undefined} onClick={() => adjust({ at: undefined }, true)}>
      Now</button>
  </div>
}
