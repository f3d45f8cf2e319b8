// Leases: one line each. With 100,000 of them, too: only what is on screen is drawn, and asked first.
import { useMemo } from 'preact/hooks'
import { useRows } from '../ask/use.ts'
import type { Lease } from '../model.ts'
import { LeaseBar } from '../parts/bar.tsx'
import { Answered } from '../parts/answered.tsx'
import { Status } from '../parts/status.tsx'
import { count, many, Name, plain, Token } from '../parts/text.tsx'
import { Instant } from '../parts/time.tsx'
import { link, usePlace } from '../place/here.ts'
import type { Args } from '../place/place.ts'
import { facets, holds, matches } from '../table/filter.ts'
import { Filters } from '../table/filters.tsx'
import { type Column, Table } from '../table/table.tsx'
import { useTitle } from './title.ts'

const keyOf = (lease: Lease) => lease.id
const wants = (lease: Lease) => (lease.pending.provider ?? 0) + (lease.pending.consumer ?? 0)

const Link = ({ lease }: { lease: Lease }) =>
  <a class="row" href={link('lease', lease.id)} title={plain(lease.id)}><Name of={lease.id} /></a>

const COLUMNS: readonly Column<Lease>[] = [
  { key: 'id', title: 'Lease', value: l => l.id, cell: l => <Link lease={l} /> },
  { key: 'provider', title: 'Provider', width: 7, from: 'm', value: l => l.provider,
    cell: l => <Name of={l.provider} /> },
  { key: 'provider_used', title: 'Used', width: 5.2, number: true, value: l => l.provider_slots.used,
    says: 'used and available at the provider',
    cell: l => `${l.provider_slots.used}/${l.provider_slots.available}` },
  { key: 'slots', title: 'Slots', width: 10, value: l => l.slots,
    says: 'who has how many of the slots', cell: l => <LeaseBar lease={l} /> },
  { key: 'consumer_used', title: 'Used', width: 5.2, number: true, value: l => l.consumer_slots.used,
    says: 'used and available at the consumer',
    cell: l => `${l.consumer_slots.used}/${l.consumer_slots.available}` },
  { key: 'consumer', title: 'Consumer', width: 7, from: 'm', value: l => l.consumer,
    cell: l => <Name of={l.consumer} /> },
  { key: 'pending', title: 'Pending', width: 5.4, number: true, from: 'l', value: wants,
    says: 'slots wanted and not had: provider, consumer',
    cell: l => `${count(l.pending.provider)} · ${count(l.pending.consumer)}` },
  { key: 'moving', title: 'Moving', width: 5, number: true, from: 'xl', value: l => l.moving,
    cell: l => count(l.moving) },
  { key: 'phase', title: 'Phase', width: 6.8, value: l => l.phase, cell: l => <Status of={l.phase} /> },
  { key: 'flips', title: 'Flips', width: 4.5, number: true, from: 'xl', value: l => l.flips,
    cell: l => count(l.flips) },
  { key: 'last_flip', title: 'Last flip', width: 6, from: 'l', value: l => l.last_flip,
    cell: l => <Instant of={l.last_flip} /> },
  { key: 'reason', title: 'Reason', width: 9.5, from: 'm', value: l => l.reason,
    cell: l => <Token of={l.reason} /> }
]

export const leaseCard = (lease: Lease) => <>
  <span class="line"><Link lease={lease} /><Status of={lease.phase} /></span>
  <span class="line">
    <span class="end"><Name of={lease.provider} /> {lease.provider_slots.used}/{lease.provider_slots.available}</span>
    <LeaseBar lease={lease} />
    <span class="end">{lease.consumer_slots.used}/{lease.consumer_slots.available} <Name of={lease.consumer} /></span>
  </span>
</>

function shows(lease: Lease, args: Args): boolean {
  return (!args.phase || lease.phase === args.phase) && (!args.reason || lease.reason === args.reason) &&
    matches(args.provider, lease.provider) && matches(args.consumer, lease.consumer) &&
    matches(args.policy, lease.policy) &&
    (!args.cluster || lease.provider === args.cluster || lease.consumer === args.cluster) &&
    holds(args.q, [lease.id, lease.provider, lease.consumer, lease.policy, lease.reason, lease.phase,
      lease.rule])
}

function summary(rows: readonly Lease[], all: number, complete: boolean): string {
  let slots = 0, used = 0, moving = 0
  for (const row of rows) {
    slots += row.slots
    used += row.provider_slots.used + row.consumer_slots.used
    moving += row.in_transfer
  }
  const of = rows.length === all ? '' : ` of ${count(all)}`
  return `${many(rows.length, 'lease')}${of}${complete ? '' : ' so far'} · ${many(slots, 'slot')} · ` +
    `${count(used)} used · ${count(moving)} in transfer`
}

export function Leases() {
  const { args } = usePlace()
  const { rows, complete, error, looking } = useRows<Lease>('leases', keyOf)
  const selection = ['q', 'phase', 'reason', 'provider', 'consumer', 'policy', 'cluster']
    .map(each => args[each] ?? '').join('\n')
  const shown = useMemo(() => rows.filter(row => shows(row, args)), [rows, selection])
  const choices = useMemo(() => [
    { arg: 'phase', title: 'Phase', values: facets(rows, row => row.phase) },
    { arg: 'reason', title: 'Reason', values: facets(rows, row => row.reason) },
    { arg: 'provider', title: 'Provider', typed: true, values: facets(rows, row => row.provider) },
    { arg: 'consumer', title: 'Consumer', typed: true, values: facets(rows, row => row.consumer) },
    { arg: 'policy', title: 'Policy', typed: true, values: facets(rows, row => row.policy) }
  ], [rows])
  const totals = useMemo(() => summary(shown, rows.length, complete), [shown, rows, complete])
  useTitle('Leases')
  return <>
    <h1>Leases {args.cluster && <small>of <Name of={args.cluster} /> · <a href={link('leases')}>all</a></small>}</h1>
    <Answered error={error} ready={complete || rows.length > 0}>
      <Filters text="Search in leases" choices={choices} />
      <Table label="Leases" columns={COLUMNS} rows={shown} keyOf={keyOf} selection={selection}
             complete={complete} first="id" narrow={leaseCard} looking={looking}
             above={<><p class="summary">{totals}</p><Legend /></>} />
    </Answered>
  </>
}

export const Legend = () => <p class="legend" aria-hidden="true">
  <span><i class="p-used" />used by the provider</span>
  <span><i class="p-idle" />idle there</span>
  <span><i class="moving" />in transfer</span>
  <span><i class="c-idle" />idle at the consumer</span>
  <span><i class="c-used" />used by it</span>
</p>
