// Two instants side by side: which leases are otherwise, and how.
import { useMemo } from 'preact/hooks'
import { useRows } from '../ask/use.ts'
import type { Lease } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { LeaseBar } from '../parts/bar.tsx'
import { count, Hint, many, Name, plain } from '../parts/text.tsx'
import { When } from '../parts/stretch.tsx'
import { Instant } from '../parts/time.tsx'
import { link, usePlace } from '../place/here.ts'
import { brokerNow } from '../live/clock.ts'
import { isoText } from '../place/time.ts'
import { useTitle } from './title.ts'

const HOUR = 3_600_000
const ROWS_MAX = 500

function differs(a: Lease | undefined, b: Lease | undefined): boolean {
  if (!a || !b) return true
  return a.phase !== b.phase || a.slots !== b.slots || a.reason !== b.reason ||
    a.provider_slots.available !== b.provider_slots.available ||
    a.consumer_slots.available !== b.consumer_slots.available ||
    a.provider_slots.used !== b.provider_slots.used || a.consumer_slots.used !== b.consumer_slots.used
}

function Cell({ lease, other }: { lease: Lease | undefined; other: Lease | undefined }) {
  if (!lease) return <td colSpan={3}><span class="none">not there</span></td>
  const mark = (same: boolean) => same ? '' : 'changed'
  return <>
    <td class={`number ${mark(!other || other.provider_slots.available === lease.provider_slots.available)}`}>
      {lease.provider_slots.used}/{lease.provider_slots.available}</td>
    <td><LeaseBar lease={lease} /><span class={`hint ${mark(!other || other.reason === lease.reason)}`}>
      {lease.phase}, {plain(lease.reason)}</span></td>
    <td class={`number ${mark(!other || other.consumer_slots.available === lease.consumer_slots.available)}`}>
      {lease.consumer_slots.used}/{lease.consumer_slots.available}</td>
  </>
}

/// An hour ago, to the minute: it must not be another each time that it is drawn.
const anHourAgo = () => isoText(new Date(Math.floor((brokerNow() - HOUR) / 60_000) * 60_000))
const aMinuteAgo = () => isoText(new Date(Math.floor(brokerNow() / 60_000) * 60_000))

export function Compare() {
  const { args } = usePlace()
  const [first, second] = useMemo(() => [args.a ?? anHourAgo(), args.b ?? args.at ?? aMinuteAgo()],
    [args.a, args.b, args.at])
  const a = useRows<Lease>('leases', each => each.id, { at: first })
  const b = useRows<Lease>('leases', each => each.id, { at: second })
  const [ids, all] = useMemo(() => {
    const left = new Map(a.rows.map(row => [row.id, row]))
    const right = new Map(b.rows.map(row => [row.id, row]))
    const both = [...new Set([...left.keys(), ...right.keys()])]
    return [both.filter(id => differs(left.get(id), right.get(id)))
      .map(id => ({ id, left: left.get(id), right: right.get(id) })), both.length] as const
  }, [a.rows, b.rows])
  useTitle('Two instants')
  return <>
    <h1>Two instants</h1>
    <form class="filters" onSubmit={event => event.preventDefault()} aria-label="Which instants">
      <When arg="a" title="First" value={first} /><When arg="b" title="Second" value={second} /></form>
    <Answered error={a.error ?? b.error} ready={a.complete && b.complete}>
      <p class="summary">{many(ids.length, 'lease')} of {count(all)} {ids.length === 1 ? 'is' : 'are'} otherwise</p>
      {ids.length === 0 ? <Hint>Nothing differs.</Hint> :
        <div class="scroll" tabIndex={0} role="region" aria-label="Leases at both instants">
          <table class="small-table compare"><thead>
            <tr><th scope="col" rowSpan={2}>Lease</th>
              <th scope="colgroup" colSpan={3}><Instant of={first} day /></th>
              <th scope="colgroup" colSpan={3}><Instant of={second} day /></th></tr>
            <tr>{[0, 1].map(() => <><th scope="col" class="number">Provider</th><th scope="col">Slots</th>
              <th scope="col" class="number">Consumer</th></>)}</tr></thead>
            <tbody>{ids.slice(0, ROWS_MAX).map(({ id, left, right }) => <tr key={id}>
              <th scope="row"><a href={link('lease', id)}><Name of={id} /></a></th>
              <Cell lease={left} other={undefined} /><Cell lease={right} other={left} /></tr>)}</tbody>
          </table></div>}
      {ids.length > ROWS_MAX && <Hint>The first {ROWS_MAX} of them.</Hint>}
    </Answered>
  </>
}
