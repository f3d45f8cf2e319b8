// Clusters: a row for each of its remotes and each direction, as seen from it.
import { useMemo } from 'preact/hooks'
import { useRows } from '../ask/use.ts'
import type { Cluster } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { Status } from '../parts/status.tsx'
import { count, many, Name, plain, Token } from '../parts/text.tsx'
import { Age } from '../parts/time.tsx'
import { link, usePlace } from '../place/here.ts'
import { facets, holds, matches } from '../table/filter.ts'
import { Filters } from '../table/filters.tsx'
import { type Column, Table } from '../table/table.tsx'
import { useTitle } from './title.ts'

const keyOf = (row: Cluster) => `${row.cluster}\n${row.remote ?? ''}\n${row.flow ?? ''}`

const Link = ({ row }: { row: Cluster }) =>
  <a class="row" href={link('explain', row.cluster)} title={`why ${plain(row.cluster)} is as it is`}>
    <Name of={row.cluster} /></a>

/// No stop of the keyboard's in each row: the cluster's own page leads there, too.
const Leases = ({ row }: { row: Cluster }) =>
  <a href={link('leases', '', { cluster: row.cluster })} tabIndex={-1} title={`leases of ${plain(row.cluster)}`}>
    {count(row.leases)}</a>

const Flow = ({ row }: { row: Cluster }) => row.flow === null
  ? <span class="none">no lease</span>
  : <span>{row.flow === 'export' ? 'exports to ' : 'imports from '}<Name of={row.remote} /></span>

const agentWord = (row: Cluster) => row.stopped && row.agent === 'lost' ? 'stopped' : row.agent

/// Everything that is out of the ordinary, in words.
function troubles(row: Cluster): string[] {
  const found = []
  if (row.detail) found.push(row.detail)
  if (row.drain) found.push(`drained as ${row.drain.half}${row.drain.why ? `: ${row.drain.why}` : ''}` +
    (row.left ? `, ${many(row.left, 'slot')} still to come back` : ''))
  else if (row.draining) found.push('drained')
  if (row.frozen) found.push('leases are frozen')
  if (row.mode === 'observe') found.push('the broker observes')
  const offBy = Math.abs(row.clock_off_ms ?? 0) - (row.clock_off_error_ms ?? 0)
  if (offBy >= 60_000) found.push(`its clock is at least ${Math.floor(offBy / 1000)} s off`)
  if (row.late_since) found.push('it sends more than is recorded at once')
  if (row.malformed > 0) found.push(`${many(row.malformed, 'message')} could not be read`)
  if (row.dropped > 0) found.push(`${many(row.dropped, 'message')} above its rate`)
  return found
}

const slotsOf = (row: Cluster) => row.flow === 'import' ? row.slots.imported : row.slots.exported

/// A row of the same cluster as the one above does not stress what that one just said.
const again = (row: Cluster, before?: Cluster) => before?.cluster === row.cluster ? 'again' : ''

/// Returns the troubles of this direction alone, and those of the cluster in its first row.
function unusual(row: Cluster, before?: Cluster): string {
  const known = before?.cluster === row.cluster ? troubles(before) : []
  return troubles(row).filter(each => !known.includes(each)).join('; ')
}

const COLUMNS: readonly Column<Cluster>[] = [
  { key: 'cluster', title: 'Cluster', width: 9, value: r => r.cluster,
    cell: (r, before) => <span class={again(r, before)}><Link row={r} /></span> },
  { key: 'agent', title: 'Agent', width: 7, value: r => r.agent,
    cell: (r, before) => <span class={again(r, before)}><Status of={agentWord(r)} /></span> },
  { key: 'last_heard', title: 'Last report', width: 6.5, from: 'm', value: r => r.last_heard,
    says: 'how long ago its last report was accepted',
    cell: (r, before) => <span class={again(r, before)}>{r.last_heard ? <Age of={r.last_heard} /> : 'never'}</span> },
  { key: 'own', title: 'Own', width: 4, number: true, from: 'm', value: r => r.slots.own,
    says: 'slots of its hosts, exported to nobody',
    cell: (r, before) => <span class={again(r, before)}>{count(r.slots.own)}</span> },
  { key: 'remote', title: 'Direction', width: 12, value: r => `${r.flow} ${r.remote}`, cell: r => <Flow row={r} /> },
  { key: 'status', title: 'Status', width: 5, value: r => r.status, cell: r => <Status of={r.status} /> },
  { key: 'leases', title: 'Leases', width: 4.6, number: true, value: r => r.leases, cell: r => <Leases row={r} /> },
  { key: 'slots', title: 'Slots', width: 4.5, number: true, value: slotsOf,
    says: 'exported to the remote, or held of it', cell: r => count(slotsOf(r)) },
  { key: 'version', title: 'Version', width: 5, from: 'xl', value: r => r.agent_version,
    cell: r => <Name of={r.agent_version} /> },
  { key: 'reason', title: 'What is unusual', value: r => troubles(r).join('; ') || null,
    cell: (r, before) => <span title={plain(troubles(r).join('; '))}>
      {r.reason && <><Token of={r.reason} />{' '}</>}
      {(!r.reason || unusual(r, before)) && <Name of={unusual(r, before) || null} />}</span> }
]

const card = (row: Cluster) => <>
  <span class="line"><Link row={row} /><Status of={agentWord(row)} /></span>
  <span class="line"><Flow row={row} /><span class="end">{many(slotsOf(row), 'slot')}</span>
    {row.status !== 'ok' && <Status of={row.status} />}</span>
</>

export function Clusters() {
  const { args } = usePlace()
  const { rows, complete, error } = useRows<Cluster>('clusters', keyOf)
  const selection = `${args.q}\n${args.status}\n${args.agent}\n${args.name}`
  const shown = useMemo(() => rows.filter(row =>
    (!args.status || row.status === args.status) && (!args.agent || row.agent === args.agent) &&
    matches(args.name, row.cluster) &&
    holds(args.q, [row.cluster, row.remote, row.reason, row.detail, row.agent, ...troubles(row)])),
    [rows, selection])
  const names = new Set(shown.map(row => row.cluster)).size
  useTitle('Clusters')
  return <>
    <h1>Clusters</h1>
    <Answered error={error} ready={complete || rows.length > 0}>
      <Filters text="Search in clusters" choices={[
        { arg: 'agent', title: 'Agent', values: facets(rows, row => row.agent) },
        { arg: 'status', title: 'Status', values: facets(rows, row => row.status) }]} />
      <Table label="Clusters" columns={COLUMNS} rows={shown} keyOf={keyOf} selection={selection}
             complete={complete} first="cluster" narrow={card}
             above={<p class="summary">{many(names, 'cluster')} · {many(shown.length, 'row')}</p>} />
    </Answered>
  </>
}
