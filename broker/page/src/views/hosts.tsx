// Hosts: slots of each, whom they are leased to, and who closed it or calls it down.
import { useMemo } from 'preact/hooks'
import { useRows } from '../ask/use.ts'
import type { Host, Order } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { Bar } from '../parts/bar.tsx'
import { Status } from '../parts/status.tsx'
import { count, many, Name, plain } from '../parts/text.tsx'
import { link, usePlace } from '../place/here.ts'
import { facets, holds, matches } from '../table/filter.ts'
import { Filters } from '../table/filters.tsx'
import { type Column, Table } from '../table/table.tsx'
import { useTitle } from './title.ts'

const keyOf = (row: Host) => `${row.host}@${row.cluster}`
const leased = (row: Host) => row.leased_to.reduce((sum, each) => sum + each.slots, 0)

function orderText(what: string, order: Order): string {
  return what + (order.by ? ` by ${order.by}` : '') + (order.why ? `: ${order.why}` : '') +
    (order.until ? `, until ${order.until}` : '')
}

function notes(row: Host): string {
  const found = row.down.map(each => `${each.cluster} reports it down${each.why ? `: ${each.why}` : ''}`)
  if (row.closed) found.push(orderText('closed', row.closed))
  if (row.closed_for.length > 0) found.push(`closed for ${row.closed_for.join(', ')}`)
  if (row.unallocated > 0) found.push(`${many(row.unallocated, 'slot')} unallocated`)
  return found.join('; ')
}

const leasedText = (row: Host) => row.leased_to.map(each =>
  `${each.cluster} ${each.slots}${each.withheld > 0 ? ` (${each.withheld} kept for it)` : ''}`).join(', ')

const Link = ({ row }: { row: Host }) =>
  <a class="row" href={link('explain', keyOf(row))} title={`why ${plain(keyOf(row))} is as it is`}>
    <Name of={row.host} /><span class="none">@</span><Name of={row.cluster} /></a>

const HostBar = ({ row }: { row: Host }) => <Bar of={row.slots ?? row.exported} parts={[
  { slots: row.used ?? 0, kind: 'p-used', says: 'used' },
  { slots: Math.max(0, (row.slots ?? 0) - (row.used ?? 0)), kind: 'p-idle', says: 'idle' }]} />

const COLUMNS: readonly Column<Host>[] = [
  { key: 'host', title: 'Host', width: 14, value: r => keyOf(r), cell: r => <Link row={r} /> },
  { key: 'state', title: 'State', width: 7, value: r => r.state, cell: r => <Status of={r.state} /> },
  { key: 'used', title: 'Used', width: 6, number: true, value: r => r.used,
    cell: r => `${count(r.used)}/${count(r.slots)}` },
  { key: 'slots', title: 'Slots', width: 8, value: r => r.slots, cell: r => <HostBar row={r} /> },
  { key: 'exported', title: 'Exported', width: 6, number: true, value: r => r.exported,
    cell: r => count(r.exported) },
  { key: 'leased', title: 'Leased to', width: 13, value: leased,
    cell: r => <span title={plain(leasedText(r))}><Name of={leasedText(r) || null} /></span> },
  { key: 'local', title: 'Name there', width: 8, from: 'l', value: r => r.local_name,
    says: 'what its own workload manager calls it', cell: r => <Name of={r.local_name} /> },
  { key: 'notes', title: 'Notes', from: 'm', value: r => notes(r) || null,
    cell: r => <span title={plain(notes(r))}><Name of={notes(r) || null} /></span> }
]

const card = (row: Host) => <>
  <span class="line"><Link row={row} /><Status of={row.state} /></span>
  <span class="line"><span class="end">{count(row.used)}/{count(row.slots)} used</span><HostBar row={row} />
    <span class="end">{count(leased(row))} leased</span></span>
</>

export function Hosts() {
  const { args } = usePlace()
  const { rows, complete, error } = useRows<Host>('hosts', keyOf)
  const selection = `${args.q}\n${args.state}\n${args.cluster}\n${args.exported}`
  const shown = useMemo(() => rows.filter(row =>
    (!args.state || row.state === args.state) && matches(args.cluster, row.cluster) &&
    (args.exported === undefined || row.exported > 0) &&
    holds(args.q, [row.host, row.cluster, keyOf(row), row.local_name, row.state, leasedText(row), notes(row)])),
    [rows, selection])
  const slots = shown.reduce((sum, row) => sum + row.exported, 0)
  useTitle('Hosts')
  return <>
    <h1>Hosts</h1>
    <Answered error={error} ready={complete || rows.length > 0}>
      <Filters text="Search in hosts" choices={[
        { arg: 'state', title: 'State', values: facets(rows, row => row.state) },
        { arg: 'cluster', title: 'Cluster', typed: true, values: facets(rows, row => row.cluster) },
        { arg: 'exported', title: 'Which', values: [['exported', rows.filter(r => r.exported > 0).length]] }]} />
      <Table label="Hosts" columns={COLUMNS} rows={shown} keyOf={keyOf} selection={selection}
             complete={complete} first="host" narrow={card}
             above={<p class="summary">{many(shown.length, 'host')} · {many(slots, 'slot')} exported</p>} />
    </Answered>
  </>
}
