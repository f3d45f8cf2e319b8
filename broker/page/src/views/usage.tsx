// Usage: who had how many slots for how long, by cluster of LSF leases and by leaf of resource plans,
// over a time of the reader's choice. In slot-hours.
import { useMemo } from 'preact/hooks'
import { useAnswer } from '../ask/use.ts'
import type { Usage as Row } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { Bar, type Part } from '../parts/bar.tsx'
import { hoursText } from '../parts/hours.ts'
import { StretchForm, useStretch } from '../parts/stretch.tsx'
import { many, Name, plain } from '../parts/text.tsx'
import { Instant } from '../parts/time.tsx'
import { link, usePlace } from '../place/here.ts'
import { facets, holds, matches } from '../table/filter.ts'
import { Filters } from '../table/filters.tsx'
import { type Column, Table } from '../table/table.tsx'
import { useTitle } from './title.ts'

const KINDS: readonly [keyof Row & `${string}_slot_s`, string, string, string][] = [
  ['owned_slot_s', 'Owned', 'c-used', 'exported and held itself; of a leaf: owned and in use'],
  ['lent_slot_s', 'Lent', 'lent', 'of its own, held by others'],
  ['borrowed_slot_s', 'Borrowed', 'borrowed', "others' slots that it held"],
  ['shared_slot_s', 'Shared', 'shared', 'of share pools'],
  ['in_transfer_slot_s', 'In transfer', 'moving', 'on their way']]
const LSF = 'LSF leases'

const keyOf = (row: Row) => `${row.cluster}\n${row.resource_group ?? ''}\n${row.consumer ?? ''}`
const groupOf = (row: Row) => row.resource_group ?? LSF
const total = (row: Row) => KINDS.reduce((sum, [key]) => sum + row[key], 0)
const partsOf = (row: Row): Part[] => KINDS.map(([key, title, kind]) =>
  ({ slots: row[key], amount: hoursText(row[key]), kind, says: `slot-hours ${title.toLowerCase()}` }))

const Who = ({ row }: { row: Row }) => {
  const id = row.consumer ?? row.cluster
  return <a class="row" href={link('explain', id)} title={`why ${plain(id)} is as it is`}><Name of={id} /></a>
}

const columnsOf = (widest: number): Column<Row>[] => [
  { key: 'who', title: 'Consumer, or cluster', value: r => r.consumer ?? r.cluster, cell: r => <Who row={r} /> },
  { key: 'cluster', title: 'Cluster', width: 7, from: 'm', value: r => r.cluster,
    cell: r => <Name of={r.cluster} /> },
  { key: 'group', title: 'Of', width: 7, from: 'm', value: groupOf, cell: r => <Name of={groupOf(r)} />,
    says: 'LSF leases, or a resource plan' },
  { key: 'total', title: 'Slot-hours', width: 14, value: total, cell: r => <Bar of={widest} parts={partsOf(r)} /> },
  ...KINDS.map(([key, title, , says]): Column<Row> => ({ key, title, says, number: true,
    width: title.length > 8 ? 6.8 : 6,
    value: r => r[key], cell: r => hoursText(r[key]) }))]

const card = (widest: number) => (row: Row) => <>
  <span class="line"><Who row={row} /><span class="end">{hoursText(total(row))} slot-hours</span></span>
  <span class="line"><Bar of={widest} parts={partsOf(row)} /></span>
</>

function summary(rows: readonly Row[]): string {
  const sums = KINDS.map(([key, title]) =>
    `${title.toLowerCase()} ${hoursText(rows.reduce((sum, row) => sum + row[key], 0))}`)
  return `${many(rows.length, 'row')} · slot-hours: ${sums.join(', ')}`
}

export function Usage() {
  const { args } = usePlace()
  const stretch = useStretch()
  const { since, until } = stretch
  const { result, error } = useAnswer<Row[]>('usage', { since, until, at: undefined })
  const rows = result ?? []
  const selection = `${since} ${until} ${args.q}\n${args.cluster}\n${args.of}`
  const shown = useMemo(() => rows.filter(row => (!args.of || groupOf(row) === args.of) &&
    matches(args.cluster, row.cluster) && holds(args.q, [row.cluster, row.consumer, groupOf(row)])),
    [result, selection])
  const widest = Math.max(1, ...rows.map(total))
  const columns = useMemo(() => columnsOf(widest), [widest])
  useTitle('Usage')
  return <>
    <h1>Usage <small>{since === undefined ? 'from the beginning' : <Instant of={since} day />} to{' '}
      <Instant of={until} day /></small></h1>
    <StretchForm of={stretch} />
    <Answered error={error} ready={result !== undefined}>
      <Filters text="Search in usage" choices={[
        { arg: 'cluster', title: 'Cluster', typed: true, values: facets(rows, row => row.cluster) },
        { arg: 'of', title: 'Of', values: facets(rows, groupOf) }]} />
      <Table label="Usage" columns={columns} rows={shown} keyOf={keyOf} selection={selection} complete
             first="group" narrow={card(widest)}
             above={<><p class="summary">{summary(shown)}</p>
               <p class="legend" aria-hidden="true">{KINDS.map(([key, title, kind]) =>
                 <span key={key}><i class={kind} />{title.toLowerCase()}</span>)}</p></>} />
    </Answered>
  </>
}
