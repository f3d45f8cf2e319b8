// One lease: how it is, its timeline, why it is so, its hosts and transfers, what was decided.
import { useMemo, useState } from 'preact/hooks'
import { useAnswer } from '../ask/use.ts'
import { useCell } from '../cell.ts'
import { Chart } from '../lease/chart.tsx'
import { Forecast } from '../explain/forecast.tsx'
import { Why } from '../explain/parts.tsx'
import { useEvents } from '../lease/events.ts'
import { LeaseHosts, Transfers } from '../lease/parts.tsx'
import { timelineOf } from '../lease/timeline.ts'
import { streamState } from '../live/tabs.ts'
import type { Explain, LeaseDetail } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { LeaseBar } from '../parts/bar.tsx'
import { Status } from '../parts/status.tsx'
import { count, Hint, many, Name, Token } from '../parts/text.tsx'
import { Age, Instant, useShownInstant } from '../parts/time.tsx'
import { adjust, link, usePlace } from '../place/here.ts'
import { Happenings, isStep } from './happenings.tsx'
import { Legend } from './leases.tsx'
import { useTitle } from './title.ts'

const HOUR = 3_600_000
const STRETCHES: readonly [string, string, number][] = [['15m', '15 min', HOUR / 4], ['1h', '1 h', HOUR],
  ['6h', '6 h', 6 * HOUR], ['1d', '1 d', 24 * HOUR], ['7d', '7 d', 168 * HOUR], ['all', 'all', 0]]
const SHOWN_ROWS = 40

export function Lease({ id }: { id: string }) {
  const { args } = usePlace()
  const lease = useAnswer<LeaseDetail>(`lease/${encodeURIComponent(id)}`)
  const explain = useAnswer<Explain>(`explain/${encodeURIComponent(id)}`)
  useTitle(id)
  return <>
    <h1><small>Lease</small> <Name of={id} /></h1>
    <Answered error={lease.error} ready={lease.result !== undefined}>
      {lease.result && <>
        <Head lease={lease.result} />
        <Timeline key={id} lease={lease.result} at={args.at} last={args.last ?? '1h'} />
        <div class="columns">
          {explain.result && <Why explain={explain.result} />}
          <div><Forecast key={id} id={id} provider={lease.result.type === 'plan' ? undefined : lease.result.provider} />
            <LeaseHosts lease={lease.result} /><Transfers lease={lease.result} /></div>
        </div>
      </>}
    </Answered>
  </>
}

function Head({ lease }: { lease: LeaseDetail }) {
  return <>
    <p class="facts">
      <Status of={lease.phase} /> <span class="hint">since <Instant of={lease.since} /></span>
      {lease.frozen && <Status of="frozen" tone="warn" />}
      {lease.quarantined && <Status of="quarantined" tone="warn" />}
      <span>{lease.rule}</span> <span>{lease.type}</span>
      <span>policy <a href={link('leases', '', { policy: lease.policy })}><Name of={lease.policy} /></a></span>
      <span>{many(lease.flips, 'flip')}</span>
      {lease.last_flip && <span>last <Age of={lease.last_flip} /> ago</span>}
      {lease.next_evaluation && <span>next evaluation <Instant of={lease.next_evaluation} /></span>}
    </p>
    <div class="sides">
      <span><a href={link('explain', lease.provider)}><Name of={lease.provider} /></a>{' '}
        <strong>{lease.provider_slots.used}/{lease.provider_slots.available}</strong>
        <span class="hint"> waiting {count(lease.pending.provider)}</span></span>
      <LeaseBar lease={lease} />
      <span><strong>{lease.consumer_slots.used}/{lease.consumer_slots.available}</strong>{' '}
        <a href={link('explain', lease.consumer)}><Name of={lease.consumer} /></a>
        <span class="hint"> waiting {count(lease.pending.consumer)}</span></span>
    </div>
  </>
}

function Timeline({ lease, at, last }: { lease: LeaseDetail; at: string | undefined; last: string }) {
  const stretch = STRETCHES.find(([name]) => name === last) ?? STRETCHES[1]!
  const events = useEvents(lease.id, stretch[2], at)
  const { event } = useCell(streamState)
  const plan = lease.type === 'plan'
  const shown = useShownInstant()
  const timeline = useMemo(() => timelineOf(events?.rows ?? [],
    { provider: lease.provider, consumer: lease.consumer, plan }, shown), [events, plan, event])
  const [steps, showSteps] = useState(false)
  const rows = useMemo(() => (events?.rows ?? []).filter(row => steps || !isStep(row)).reverse(),
    [events, steps])
  return <>
    <div class="heading"><h2>Who held and used what</h2>
      <div class="stretches" role="group" aria-label="The last">
        {STRETCHES.map(([name, title]) => <button type="button" class="small" aria-pressed={stretch[0] === name}
          onClick={() => adjust({ last: name })}>{title}</button>)}
      </div></div>
    {events?.error && <p class="refused" role="alert"><Name of={events.error.message} /></p>}
    {timeline.points.length > 0 ? <><Chart timeline={timeline} lease={lease} plan={plan} />
        {plan ? <Hint>Filled: what it has. Dashed: its quota. Dotted: what it wants.</Hint> : <Legend />}</>
      : events && <Hint>Nothing was recorded of it in this time.</Hint>}
    {events?.cut && <Hint>Only the first {count(events.rows.length)} rows of that time are drawn.</Hint>}
    <div class="heading">
      <h2>Decisions <small>{many(timeline.marks.length, 'flip')} in this time · now{' '}
        <Token of={lease.reason} /></small></h2>
      <button type="button" class="small" aria-pressed={steps} onClick={() => showSteps(!steps)}>
        Steps of transfers</button>
    </div>
    <Happenings rows={rows.slice(0, SHOWN_ROWS)} ofLease />
    {rows.length > SHOWN_ROWS && <p><a href={link('history', '', { lease: lease.id })}>
      All {count(rows.length)} in the history</a></p>}
  </>
}
