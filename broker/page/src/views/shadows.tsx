// Shadows: rules that are decided and recorded beside those in force and never ordered; what moved,
// what would have moved, and for how long both said the same. Of one lease also by what each found.
import { useMemo } from 'preact/hooks'
import { useAnswer } from '../ask/use.ts'
import type { Compared } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { Bar } from '../parts/bar.tsx'
import { StretchForm, stretchArgs, useStretch } from '../parts/stretch.tsx'
import { count, Hint, many, Name, plain, Token } from '../parts/text.tsx'
import { link, usePlace } from '../place/here.ts'
import type { Args } from '../place/place.ts'
import { spanText } from '../place/time.ts'
import { facets, holds, matches } from '../table/filter.ts'
import { Filters } from '../table/filters.tsx'
import { type Column, Table } from '../table/table.tsx'
import { useTitle } from './title.ts'

const keyOf = (row: Compared) => `${row.lease}\n${row.rule}\n${row.shadow}`
/// Some leases are evaluated again within a second.
const forText = (ms: number): string => ms > 0 && ms < 1000 ? `${ms} ms` : spanText(ms)
const differed = (row: Compared) => row.differed_ms / Math.max(1, row.same_ms + row.differed_ms)

const Link = ({ row, args }: { row: Compared; args: Args }) =>
  <a class="row" href={link('shadows', row.lease, args)} title={plain(row.lease)}><Name of={row.lease} /></a>

/// A bar of time.
const Agreement = ({ same_ms, differed_ms }: { same_ms: number; differed_ms: number }) =>
  <Bar of={same_ms + differed_ms} parts={[
    { slots: same_ms, amount: forText(same_ms), kind: 'c-idle', says: 'the same' },
    { slots: differed_ms, amount: forText(differed_ms), kind: 'moving', says: 'otherwise' }]} />

const columnsOf = (args: Args): Column<Compared>[] => [
  { key: 'lease', title: 'Lease', value: r => r.lease, cell: r => <Link row={r} args={args} /> },
  { key: 'rule', title: 'In force', width: 10, from: 'm', value: r => r.rule, cell: r => <Token of={r.rule} /> },
  { key: 'shadow', title: 'Shadow', width: 10, value: r => r.shadow, cell: r => <Token of={r.shadow} /> },
  { key: 'differed', title: 'Otherwise', width: 10, value: differed, says: 'for how much of the time they differed',
    cell: r => <Agreement {...r} /> },
  { key: 'ms', title: 'For', width: 7, value: r => r.differed_ms, cell: r => forText(r.differed_ms) },
  { key: 'flips', title: 'Flips', width: 5, number: true, from: 'm', value: r => r.flips, cell: r => count(r.flips),
    says: 'evaluations of the rule in force that moved slots' },
  { key: 'moved', title: 'Moved', width: 6, number: true, value: r => r.slots_moved, cell: r => count(r.slots_moved) },
  { key: 'would', title: 'Would flip', width: 7.5, number: true, from: 'm', value: r => r.shadow_moves,
    says: 'evaluations at which the shadow would have moved slots', cell: r => count(r.shadow_moves) },
  { key: 'slots', title: 'Would move', width: 8, number: true, value: r => r.shadow_slots,
    cell: r => count(r.shadow_slots) }]

const card = (args: Args) => (row: Compared) => <>
  <span class="line"><Link row={row} args={args} /><Token of={row.shadow} /></span>
  <span class="line"><span class="end">moved {count(row.slots_moved)}</span><Agreement {...row} />
    <span class="end">would {count(row.shadow_slots)}</span></span>
</>

const LEGEND = <p class="legend" aria-hidden="true">
  <span><i class="c-idle" />both move the same slots, or none</span><span><i class="moving" />otherwise</span></p>

const JUDGED = 'The shadow judged each time the slots as the rule in force had left them, so it may name the same ' +
  'slots several times.'

function summary(rows: readonly Compared[]): string {
  const sum = (of: (row: Compared) => number) => rows.reduce((all, row) => all + of(row), 0)
  return `${many(rows.length, 'row')} · the rules in force moved ${many(sum(r => r.slots_moved), 'slot')}, ` +
    `the shadows would have moved ${count(sum(r => r.shadow_slots))}`
}

export function Shadows() {
  const { args } = usePlace()
  const stretch = useStretch()
  const { since, until } = stretch
  const { result, error } = useAnswer<Compared[]>('compare', { since, until, at: undefined })
  const rows = result ?? []
  const selection = `${since} ${until} ${args.q}\n${args.shadow}\n${args.policy}`
  const shown = useMemo(() => rows.filter(row => (!args.shadow || row.shadow === args.shadow) &&
    matches(args.policy, row.policy) &&
    holds(args.q, [row.lease, row.rule, row.shadow, row.provider, row.consumer])), [result, selection])
  const along = stretchArgs()
  const columns = useMemo(() => columnsOf(along), [JSON.stringify(along)])
  useTitle('Shadows')
  return <>
    <h1>Shadows <small>rules that are tried beside those in force</small></h1>
    <StretchForm of={stretch} />
    <Answered error={error} ready={result !== undefined}>
      {rows.length === 0 ? <Hint>No policy had a shadow in this time. With <code>shadow = "exclusive"</code> beside
        the rule of an export policy it is decided at each evaluation, too: recorded, never ordered.</Hint> : <>
        <Filters text="Search in shadows" choices={[
          { arg: 'shadow', title: 'Shadow', values: facets(rows, row => row.shadow) },
          { arg: 'policy', title: 'Policy', typed: true, values: facets(rows, row => row.policy) }]} />
        <Table label="Shadows" columns={columns} rows={shown} keyOf={keyOf} selection={selection} complete
               first="lease" narrow={card(along)} above={<><p class="summary">{summary(shown)}</p>{LEGEND}</>} />
        <Hint>{JUDGED}</Hint></>}
    </Answered>
  </>
}

export function Shadow({ id }: { id: string }) {
  const stretch = useStretch()
  const { since, until } = stretch
  const { result, error } = useAnswer<Compared[]>('compare', { lease: id, since, until, at: undefined })
  useTitle(id)
  return <>
    <h1><small>Shadow of</small> <Name of={id} /></h1>
    <p class="facts"><a href={link('shadows', '', stretchArgs())}>all shadows</a>
      <a href={link('lease', id)}>the lease</a></p>
    <StretchForm of={stretch} />
    <Answered error={error} ready={result !== undefined}>
      {result?.length === 0 && <Hint>It had no shadow in this time.</Hint>}
      {result?.map(row => <Reasons key={keyOf(row)} row={row} />)}
      {LEGEND}<Hint>{JUDGED}</Hint>
    </Answered>
  </>
}

const Reasons = ({ row }: { row: Compared }) => <section>
  <h2>{row.rule} in force, beside it {row.shadow}</h2>
  <p>In force moved {many(row.slots_moved, 'slot')} in {many(row.flips, 'flip')}; the shadow would have moved{' '}
    {many(row.shadow_slots, 'slot')} in {many(row.shadow_moves, 'decision')}. The same for {forText(row.same_ms)},
    otherwise for {forText(row.differed_ms)}.</p>
  <p><Agreement {...row} /></p>
  <div class="scroll" tabIndex={0} role="region" aria-label={`What each found: ${row.rule}, ${row.shadow}`}>
    <table class="small-table"><thead><tr><th scope="col">In force found</th><th scope="col">The shadow found</th>
      <th scope="col">Moves</th><th scope="col" class="number">For</th><th scope="col" class="number">Times</th>
    </tr></thead>
      <tbody>{row.reasons.map(each => <tr key={`${each.rule_reason} ${each.shadow_reason} ${each.same}`}>
        <td><Token of={each.rule_reason} /></td><td><Token of={each.shadow_reason} /></td>
        <td>{each.same ? 'the same' : <strong>otherwise</strong>}</td>
        <td class="number">{forText(each.ms)}</td><td class="number">{count(each.evaluations)}</td></tr>)}</tbody>
    </table></div>
</section>
