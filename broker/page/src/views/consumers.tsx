// Consumers: the tree of each resource plan, quota against use; what is owned, lent, borrowed, shared.
import { useState } from 'preact/hooks'
import { useAnswer } from '../ask/use.ts'
import type { Consumer } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { Bar, type Part } from '../parts/bar.tsx'
import { useNarrow } from '../parts/media.ts'
import { count, Hint, many, Name, plain, Token } from '../parts/text.tsx'
import { link, usePlace } from '../place/here.ts'
import { holds } from '../table/filter.ts'
import { Filters } from '../table/filters.tsx'
import { useTitle } from './title.ts'

const depthOf = (path: string) => path.split('/').length - 2
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)
const below = (path: string, parent: string) => path.startsWith(parent + '/')

/// Returns the slots that it holds, by whose they are; then those that it may still have.
function partsOf(row: Consumer): Part[] {
  const own = Math.max(0, row.allocated - row.borrowed - row.shared)
  return [
    { slots: own, kind: 'c-used', says: 'of its own' },
    { slots: row.borrowed, kind: 'borrowed', says: 'borrowed' },
    { slots: row.shared, kind: 'shared', says: 'of share pools' },
    { slots: Math.max(0, row.quota - row.allocated), kind: 'c-idle', says: 'below its quota' }
  ]
}

const widest = (rows: readonly Consumer[]) =>
  Math.max(1, ...rows.map(row => Math.max(row.quota, row.allocated, row.owned)))

function whom(row: Consumer): string {
  const list = (of: Record<string, number>) =>
    Object.entries(of).map(([path, n]) => `${n} ${path}`).join(', ')
  const parts = []
  if (Object.keys(row.lent_to).length > 0) parts.push(`lent to: ${list(row.lent_to)}`)
  if (Object.keys(row.borrowed_from).length > 0) parts.push(`borrowed from: ${list(row.borrowed_from)}`)
  return parts.join('; ')
}

interface RowProps { row: Consumer; of: number; parent: boolean; open: boolean; turn: () => void }

function Label({ row, parent, open, turn }: RowProps) {
  return <span class="tree" style={{ paddingLeft: `${depthOf(row.path) * 1.1}em` }}>
    {parent ? <button type="button" class="turn" aria-expanded={open} onClick={turn}
                      aria-label={`children of ${plain(row.path)}`}>{open ? '▾' : '▸'}</button>
      : <span class="turn" />}
    <a href={link('explain', row.path)} title={plain(row.path)}><Name of={nameOf(row.path)} /></a>
    {row.cluster && <span class="hint"> <Name of={row.cluster} /></span>}
  </span>
}

const change = (n: number) => n === 0 ? '–' : n > 0 ? `+${count(n)}` : `−${count(-n)}`

function Row(props: RowProps) {
  const { row, of } = props
  return <tr>
    <th scope="row"><Label {...props} /></th>
    <td><Bar of={of} parts={partsOf(row)} mark={row.quota} /></td>
    <td class="number"><strong>{count(row.allocated)}</strong></td>
    <td class="number">{count(row.quota)}</td>
    <td class="number">{count(row.demand)}</td>
    <td class="number m">{change(row.change)}</td>
    <td class="number m">{count(row.owned)}</td>
    <td class="number m">{count(row.lent)}</td>
    <td class="number m">{count(row.borrowed)}</td>
    <td class="number m">{count(row.shared)}</td>
    <td class="number l">{count(row.free)}</td>
    <td class="number l">{row.limit === null ? '–' : count(row.limit)}</td>
    <td class="l"><span title={plain(whom(row))}><Token of={row.reason} /></span></td>
  </tr>
}

const Card = (props: RowProps) => {
  const { row } = props
  return <tr><td class="card">
    <span class="line"><Label {...props} />
      <span class="end"><strong>{count(row.allocated)}</strong> of quota {count(row.quota)}</span></span>
    <span class="line"><Bar of={props.of} parts={partsOf(row)} mark={row.quota} /></span>
    <span class="line hint">wants {count(row.demand)} · owned {count(row.owned)} · lent {count(row.lent)} ·
      borrowed {count(row.borrowed)} · shared {count(row.shared)}</span>
  </td></tr>
}

function Group({ name, rows }: { name: string; rows: readonly Consumer[] }) {
  const narrow = useNarrow()
  const [closed, close] = useState<ReadonlySet<string>>(new Set())
  const { q } = usePlace().args
  const hit = (row: Consumer) => holds(q, [row.path, row.cluster, row.reason, row.resource_group])
  const shown = rows.filter(row => q ? hit(row) || rows.some(each => below(each.path, row.path) && hit(each))
    : ![...closed].some(path => below(row.path, path)))
  const turn = (path: string) => {
    const next = new Set(closed)
    if (!next.delete(path)) next.add(path)
    close(next)
  }
  const of = widest(rows)
  const total = rows.filter(row => row.cluster !== null).reduce((sum, row) => sum + row.allocated, 0)
  return <section>
    <h2><Name of={name} /> <small>{many(rows.length, 'consumer')} · {many(total, 'slot')} allocated</small></h2>
    <table class="consumers" aria-label={`Consumers of ${plain(name)}`}>
      <thead class={narrow ? 'visually-hidden' : ''}><tr>{narrow ? <th scope="col">Consumers</th> : <>
        <th scope="col">Consumer</th><th scope="col" class="bars">Allocated, quota |</th>
        <th scope="col" class="number">Has</th><th scope="col" class="number">Quota</th>
        <th scope="col" class="number">Wants</th><th scope="col" class="number m">Change</th>
        <th scope="col" class="number m">Owned</th><th scope="col" class="number m">Lent</th>
        <th scope="col" class="number m">Borrowed</th><th scope="col" class="number m">Shared</th>
        <th scope="col" class="number l">Free</th><th scope="col" class="number l">Limit</th>
        <th scope="col" class="l">Reason</th></>}</tr></thead>
      <tbody>{shown.map(row => {
        const props: RowProps = { row, of, parent: rows.some(each => below(each.path, row.path)),
          open: !closed.has(row.path), turn: () => turn(row.path) }
        return narrow ? <Card key={row.path} {...props} /> : <Row key={row.path} {...props} />
      })}</tbody>
    </table>
  </section>
}

export function Consumers() {
  const { result, error } = useAnswer<Consumer[]>('consumers')
  const groups = new Map<string, Consumer[]>()
  for (const row of result ?? []) groups.set(row.resource_group, [...groups.get(row.resource_group) ?? [], row])
  useTitle('Consumers')
  return <>
    <h1>Consumers</h1>
    <Answered error={error} ready={result !== undefined}>
      {groups.size === 0 ? <Hint>No resource plan is in force: leases here are between two clusters each.</Hint> : <>
        <Filters text="Search in consumers" choices={[]} />
        <p class="legend" aria-hidden="true">
          <span><i class="c-used" />of its own</span><span><i class="borrowed" />borrowed</span>
          <span><i class="shared" />of share pools</span><span><i class="c-idle" />below its quota</span></p>
        {[...groups].map(([name, rows]) => <Group key={name} name={name} rows={rows} />)}</>}
    </Answered>
  </>
}
