// The overview of the site: clusters, leases by phase, slots by use, and what moved last.
import { useAnswer } from '../ask/use.ts'
import type { HistoryRow, StatusRow } from '../model.ts'
import { Bar } from '../parts/bar.tsx'
import { Status } from '../parts/status.tsx'
import { count, many, Name } from '../parts/text.tsx'
import { Age, Instant } from '../parts/time.tsx'
import { link, usePlace } from '../place/here.ts'
import { Happenings, isStep } from './happenings.tsx'

const LAST_ROWS = 8
const ASKED_ROWS = 60  // most are steps of transfers

function Clusters({ status }: { status: StatusRow }) {
  const { all, up, degraded } = status.clusters
  const rows = ([['up', up - degraded], ['degraded', degraded], ['lost', all - up]] as const).filter(([, n]) => n > 0)
  return <div><dt><a href={link('clusters')}>Clusters</a></dt>
    <dd>{rows.map(([agent, n]) => <a class="plain" href={link('clusters', '', { agent })}>
      {count(n)} <Status of={agent} /></a>)}</dd></div>
}

function Leases({ status }: { status: StatusRow }) {
  const phases = Object.entries(status.leases.by_phase).filter(([, n]) => n > 0)
  return <div><dt><a href={link('leases')}>Leases</a></dt>
    <dd>{phases.length === 0 && <span class="hint">none</span>}
      {phases.map(([phase, n]) => <a class="plain" href={link('leases', '', { phase })}>
        {count(n)} <Status of={phase} /></a>)}</dd></div>
}

function Slots({ status }: { status: StatusRow }) {
  const { slots, transfers, clusters } = status
  const idle = slots.provider - slots.provider_used + slots.consumers - slots.consumers_used
  return <div class="wide"><dt>Slots exported</dt>
    <dd><strong>{count(slots.exported)}</strong>
      <Bar of={slots.exported} parts={[
        { slots: slots.provider_used, kind: 'p-used', says: 'used by providers' },
        { slots: slots.provider - slots.provider_used, kind: 'p-idle', says: 'idle at providers' },
        { slots: slots.unallocated, kind: 'down', says: 'unallocated' },
        { slots: slots.in_transfer, kind: 'moving', says: 'in transfer' },
        { slots: slots.consumers - slots.consumers_used, kind: 'c-idle', says: 'idle at consumers' },
        { slots: slots.consumers_used, kind: 'c-used', says: 'used by consumers' }]} />
      <span class="hint">{count(slots.provider_used)} used by providers,{' '}
        {count(slots.consumers_used)} by consumers, {count(idle)} idle, {count(slots.in_transfer)} in transfer
        {transfers.oldest_since && <> (the oldest for <Age of={transfers.oldest_since} />)</>};{' '}
        {many(clusters.pending, 'slot')} waited for</span></dd></div>
}

/// Orders of operators that hold now, or will: the page's first answer to "why does nothing move".
function Orders({ status }: { status: StatusRow }) {
  const { frozen, freeze_ahead: ahead } = status
  if (!frozen && !ahead && status.drained.length === 0 && status.hosts_closed === 0) return null
  return <ul class="conditions">
    {frozen && <li><Status of="frozen" tone="warn" /> by <Name of={frozen.by} />
      {frozen.why && <>: <Name of={frozen.why} /></>}
      {frozen.until && <>, until <Instant of={frozen.until} /></>}</li>}
    {ahead && <li><Status of="freeze" tone="warn" /> by <Name of={ahead.by} />
      {ahead.why && <>: <Name of={ahead.why} /></>}, from <Instant of={ahead.from} />
      {ahead.until && <>, until <Instant of={ahead.until} /></>}</li>}
    {status.drained.map(each => <li key={each.cluster + each.half}><Status of="drained" tone="warn" />{' '}
      <Name of={each.cluster} /> as {each.half}, by <Name of={each.by} />{each.why && <>: <Name of={each.why} /></>}
      {each.until && <>, until <Instant of={each.until} /></>}</li>)}
    {status.hosts_closed > 0 && <li><Status of="closed" tone="warn" />{' '}
      <a href={link('hosts', '', { state: 'closed' })}>{many(status.hosts_closed, 'host')}</a></li>}
  </ul>
}

export function Overview() {
  const { at } = usePlace().args
  const { result: status } = useAnswer<StatusRow>('status')
  const last = useAnswer<HistoryRow[]>('history', { newest: true, limit: ASKED_ROWS, until: at, at: undefined })
  return <section aria-labelledby="overview">
    <h2 id="overview">In all</h2>
    {status && <><dl class="totals">
      <Clusters status={status} /><Leases status={status} /><Slots status={status} /></dl>
      <Orders status={status} /></>}
    <h2>What happened last <small><a href={link('history')}>all of it</a></small></h2>
    <Happenings rows={(last.result ?? []).filter(row => !isStep(row)).slice(-LAST_ROWS).reverse()} />
  </section>
}
