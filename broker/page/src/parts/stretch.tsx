// A stretch of time that something is summed over: its last hour, day or week, or from one instant to
// another. It stands in the address, and ends at what the page shows unless the reader says otherwise.
import { useMemo, useState } from 'preact/hooks'
import { useCell } from '../cell.ts'
import { brokerNow } from '../live/clock.ts'
import { adjust, usePlace } from '../place/here.ts'
import { inputInstant, inputText, isoText } from '../place/time.ts'
import { zone } from '../place/zone.ts'

const HOUR = 3_600_000
const STRETCHES: readonly [string, string, number][] = [['1h', 'hour', HOUR], ['1d', 'day', 24 * HOUR],
  ['7d', 'week', 168 * HOUR], ['30d', '30 days', 720 * HOUR], ['all', 'all', Infinity]]
const USUAL = '1d'

export function When({ arg, title, value, clears }:
    { arg: string; title: string; value: string | undefined; clears?: string }) {
  const where = useCell(zone)
  const set = (text: string) => {
    const date = inputInstant(text, where)
    if (date) adjust({ ...(clears && { [clears]: undefined }), [arg]: isoText(date) })
  }
  return <label><span>{title}</span>
    <input type="datetime-local" step={1} value={value === undefined ? '' : inputText(new Date(value), where)}
           onChange={event => set(event.currentTarget.value)} /></label>
}

export interface Stretch {
  last: string
  since: string | undefined  // undefined: from the beginning
  until: string
  open: boolean              // it ends now: it can be asked for again
  askAgain: () => void
}

/// Sums cost the broker its whole history, so they are asked for once, and again when wanted.
export function useStretch(): Stretch {
  const { args } = usePlace()
  const [asked, ask] = useState(0)
  const now = useMemo(() => isoText(new Date(Math.floor(brokerNow() / 1000) * 1000)), [asked])
  const until = args.until ?? args.at ?? now
  const last = args.since === undefined ? args.last ?? USUAL : ''
  const ms = STRETCHES.find(([name]) => name === last)?.[2] ?? 24 * HOUR
  const since = args.since ?? (ms === Infinity ? undefined : isoText(new Date(Date.parse(until) - ms)))
  return { last, since, until, open: !args.until && !args.at, askAgain: () => ask(n => n + 1) }
}

/// The settings of the address that go along to another view of the same time.
export function stretchArgs(): Record<string, string> {
  const { args } = usePlace()
  return Object.fromEntries(Object.entries(args).filter(([key]) => ['last', 'since', 'until'].includes(key)))
}

export const StretchForm = ({ of }: { of: Stretch }) =>
  <form class="filters" onSubmit={event => event.preventDefault()} aria-label="Over which time">
    <div class="stretches" role="group" aria-label="The last">
      {STRETCHES.map(([name, title]) => <button type="button" class="small" aria-pressed={name === of.last}
        onClick={() => adjust({ last: name, since: undefined })}>{title}</button>)}</div>
    <When arg="since" title="From" value={of.since} clears="last" />
    <When arg="until" title="To" value={of.until} />
    {of.open ? <button type="button" class="small" onClick={of.askAgain}>Up to now</button>
      : <button type="button" class="small" onClick={() => adjust({ until: undefined })}>
          Up to what the page shows</button>}
  </form>
