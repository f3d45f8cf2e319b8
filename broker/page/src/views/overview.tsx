// How things stand in all: clusters, leases by phase, slots by use, and what moved last.
import { useMemo } from 'preact/hooks'
import { useAnswer, useRows } from '../ask/use.ts'
import type { Cluster, HistoryRow, Lease } from '../model.ts'
import { Bar } from '../parts/bar.tsx'
import { Status } from '../parts/status.tsx'
import { count, many } from '../parts/text.tsx'
import { link, usePlace } from '../place/here.ts'
import { facets } from '../table/filter.ts'
import { Happenings, isStep } from './happenings.tsx'

const LAST_ROWS = 8
const ASKED_ROWS = 60  // most are steps of transfers

interface Totals { slots: number; p_used: number; p_idle: number; c_used: number; c_idle: number;
                   moving: number }

function totalsOf(leases: readonly Lease[]): Totals {
  const sum: Totals = { slots: 0, p_used: 0, p_idle: 0, c_used: 0, c_idle: 0, moving: 0 }
  for (const each of leases) {
    sum.slots += each.slots
    sum.p_used += each.provider_slots.used
    sum.p_idle += each.provider_slots.idle
    sum.c_used += each.consumer_slots.used
    sum.c_idle += each.consumer_slots.idle
    sum.moving += each.in_transfer
  }
  return sum
}

export function Overview() {
  const { at } = usePlace().args
  const clusters = useAnswer<Cluster[]>('clusters')
  const { rows: leases, complete } = useRows<Lease>('leases', each => each.id)
  const last = useAnswer<HistoryRow[]>('history',
    { newest: true, limit: ASKED_ROWS, ...(at === undefined ? {} : { until: at, at: undefined }) })
  const sum = useMemo(() => totalsOf(leases), [leases])
  const phases = useMemo(() => facets(leases, each => each.phase), [leases])
  const agents = facets([...new Map((clusters.result ?? []).map(row => [row.cluster, row])).values()],
    row => row.agent)
  return <section aria-labelledby="overview">
    <h2 id="overview">In all</h2>
    <dl class="totals">
      <div><dt><a href={link('clusters')}>Clusters</a></dt>
        <dd>{agents.map(([agent, n]) => <a class="plain" href={link('clusters', '', { agent })}>
          {count(n)} <Status of={agent} /></a>)}</dd></div>
      <div><dt><a href={link('leases')}>Leases</a></dt>
        <dd>{phases.map(([phase, n]) => <a class="plain" href={link('leases', '', { phase })}>
          {count(n)} <Status of={phase} /></a>)}{!complete && <span class="hint">so far</span>}</dd></div>
      <div class="wide"><dt>Slots leased out or to be</dt>
        <dd><strong>{count(sum.slots)}</strong>
          <Bar of={sum.slots} parts={[
            { slots: sum.p_used, kind: 'p-used', says: 'used by providers' },
            { slots: sum.p_idle, kind: 'p-idle', says: 'idle at providers' },
            { slots: sum.moving, kind: 'moving', says: 'in transfer' },
            { slots: sum.c_idle, kind: 'c-idle', says: 'idle at consumers' },
            { slots: sum.c_used, kind: 'c-used', says: 'used by consumers' }]} />
          <span class="hint">{count(sum.p_used)} used by providers, {count(sum.c_used)} by consumers,
            {' '}{many(sum.p_idle + sum.c_idle, 'idle slot')}, {count(sum.moving)} in transfer</span></dd></div>
    </dl>
    <h2>What happened last <small><a href={link('history')}>all of it</a></small></h2>
    <Happenings rows={(last.result ?? []).filter(row => !isStep(row)).slice(-LAST_ROWS).reverse()} />
  </section>
}
