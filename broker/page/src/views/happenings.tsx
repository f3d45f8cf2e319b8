// Rows of the history, for people: when, what, of which lease, why, from which numbers.
import type { HistoryRow } from '../model.ts'
import { many, Name, Token } from '../parts/text.tsx'
import { Instant } from '../parts/time.tsx'
import { link, usePlace } from '../place/here.ts'
import { hashOf } from '../place/place.ts'

/// The move as a sentence.
function Moved({ row }: { row: HistoryRow }) {
  if (row.slots === null || row.slots === 0) return null
  return <span>{many(row.slots, 'slot')}{row.from && <> <Name of={row.from} /></>}
    {(row.from || row.to) && ' → '}{row.to && <Name of={row.to} />}</span>
}

function Command({ row }: { row: HistoryRow }) {
  const parts = [row.verb, row.object, row.options].filter(each => each)
  return <>{parts.length > 0 && <Name of={parts.join(' ')} />}
    {row.by && <span> by <Name of={row.by} />
      {row.where && row.where !== 'local' && <> at <Name of={row.where} /></>}</span>}
    {row.why && <span>: <Name of={row.why} /></span>}</>
}

/// An evaluation's numbers as "provider 3 of 4 used, 2 waiting"; others by their names.
export function numbersText(row: HistoryRow): string {
  const numbers = row.numbers ?? {}
  const side = (name: string) => `${name} ${numbers[`${name}_used`]}/${numbers[`${name}_available`]} used, ` +
    `${numbers[`${name}_pending`]} waiting`
  if (numbers.provider_available !== undefined) return `${side('provider')} · ${side('consumer')}`
  return Object.entries(numbers).map(([name, n]) => `${name.replaceAll('_', ' ')} ${n}`).join(', ')
}

/// A step of a transfer: the flip beside it says what moved and why.
export const isStep = (row: HistoryRow): boolean =>
  /^transfer-(started|released|granted|done)$/.test(row.kind)

/// Some rows of a plan are about its resource group, or about a consumer that may be a parent.
function whereTo(row: HistoryRow): string {
  const [group = '', path] = row.lease!.split(':', 2)
  if (path === undefined) return link('consumers', '', { q: group })
  return row.kind === 'consumer' ? link('explain', path) : link('lease', row.lease!)
}

export function Happenings({ rows, ofLease = false }: { rows: readonly HistoryRow[]; ofLease?: boolean }) {
  const place = usePlace()
  const then = (row: HistoryRow) => hashOf({ ...place, args: { ...place.args, at: row.time } })
  return <ol class={`happenings ${ofLease ? 'of-lease' : ''}`}>
    {rows.map(row => <li key={row.id} class={row.kind === 'flip' ? 'flip' : ''}>
      <a class="plain when" href={then(row)}>
        <span class="visually-hidden">Show then: </span><Instant of={row.time} /></a>
      <span class="kind">{row.kind}</span>
      {!ofLease && <span class="about">
        {row.lease && <a href={whereTo(row)}><Name of={row.lease} /></a>}
        {row.cluster && <a href={link('explain', row.cluster)}><Name of={row.cluster} /></a>}
      </span>}
      <span class="details"><Moved row={row} /> {row.reason && <Token of={row.reason} />} <Command row={row} />
        <span class="hint"> {numbersText(row)}</span></span>
    </li>)}
  </ol>
}
