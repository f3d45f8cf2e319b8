// Table: long lists of which only the rows on screen are drawn. Rows keep their places while somebody
// reads (order.ts). Keyboard: arrows, Page, Home and End go from row to row, Enter opens.
import type { ComponentChild } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { adjust, usePlace } from '../place/here.ts'
import { many } from '../parts/text.tsx'
import { useNarrow } from '../parts/media.ts'
import { misplaced, type Sort, sorted, sortOf, sortText, type SortValue, steady } from './order.ts'
import { useRoving } from './roving.ts'
import { useWindow } from './window.ts'

export interface Column<T> {
  key: string
  title: string
  value: (row: T) => SortValue
  cell: (row: T, before?: T) => ComponentChild  // before: the row above it
  number?: boolean
  width?: number          // em; absent: what is left
  from?: 'm' | 'l' | 'xl' // shown from that width of the page on
  says?: string           // what the column is, where the title is short
}

interface Props<T> {
  label: string
  columns: readonly Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
  /// If this text changes, the rows are others and are sorted again.
  selection: string
  complete: boolean       // false: rows are still being read; they are sorted as they come
  first: string           // how it is sorted if the address does not say
  narrow: (row: T) => ComponentChild
  tall?: number           // px a row on a phone
  above?: ComponentChild   // what is said of all rows
  looking?: (keys: readonly string[]) => void
  href?: (row: T) => string
}

const ROW_PX = 30
const NARROW_PX = 68

interface Ordered<T> { rows: T[]; added: Set<string>; out: number }
interface Last<T> { by: string; of: readonly T[]; order: string[]; shown: Ordered<T> }

/// The rows in the order in which they are shown; computed when rows or what they are sorted by are
/// others, not each time that something is drawn.
function useOrder<T>(props: Props<T>, sort: Sort): Ordered<T> & { again: () => void } {
  const { rows, keyOf, columns, complete } = props
  const [asked, ask] = useState(0)
  const last = useRef<Last<T>>()
  const by = `${props.selection} ${sortText(sort)} ${asked} ${complete}`
  const value = (columns.find(each => each.key === sort.by) ?? columns[0]!).value
  const before = last.current
  if (!before || before.of !== rows || before.by !== by) {
    // While rows are being read they are sorted each time that there are half as many more.
    const grown = !complete && rows.length > 1.5 * (before?.order.length ?? 0)
    if (!before || before.by !== by || grown) {
      const fresh = sorted(rows, value, keyOf, sort.down)
      last.current = { by, of: rows, order: fresh.map(keyOf),
        shown: { rows: fresh, added: new Set(), out: 0 } }
    } else {
      const { rows: kept, order, added } = steady(rows, keyOf, before.order, before.shown.added)
      last.current = { by, of: rows, order, shown: complete
        ? { rows: kept, added, out: misplaced(kept, value, sort.down) }
        : { rows: kept, added: new Set(), out: 0 } }
    }
  }
  return { ...last.current!.shown, again: () => ask(n => n + 1) }
}

export function Table<T>(props: Props<T>) {
  const { columns, keyOf, looking } = props
  const narrow = useNarrow()
  const sort = sortOf(usePlace().args.sort, props.first)
  const { rows, added, out, again } = useOrder(props, sort)
  const body = useRef<HTMLTableSectionElement>(null)
  const height = narrow ? props.tall ?? NARROW_PX : ROW_PX
  const { from, to } = useWindow(body, rows.length, height)
  const drawn = rows.slice(from, to)
  const roving = useRoving(body, rows.length, height, from, to)
  useEffect(() => looking?.(drawn.map(keyOf)))
  useLayoutEffect(roving.updateFocus)
  useSortKey(again)
  return <>
    <div class="above">
      <div>{props.above}</div>
      <div aria-live="polite">{out > 0 || added.size > 0
        ? <button type="button" class="small" onClick={again} title={said(out, added.size)}>
            Sort again <kbd>s</kbd></button> : null}</div>
    </div>
    {narrow && <SortChoice columns={columns} sort={sort} />}
    <table class="rows" aria-label={props.label} aria-rowcount={rows.length + 1}>
      {!narrow && <colgroup>{columns.map(each =>
        <col class={each.from ?? ''} style={each.width ? { width: `${each.width}em` } : {}} />)}
      </colgroup>}
      <thead class={narrow ? 'visually-hidden' : ''}><tr aria-rowindex={1}>
        {narrow ? <th scope="col">{props.label}</th>
          : columns.map(each => <Heading column={each} sort={sort} />)}
      </tr></thead>
      <tbody ref={body} onKeyDown={roving.key}>
        <Gap rows={from} height={height} />
        {drawn.map((row, at) => {
          const key = keyOf(row)
          return <tr key={key} data-row={from + at} aria-rowindex={from + at + 2}
                     class={added.has(key) ? 'added' : ''} style={{ height: `${height}px` }}>
            {narrow ? <td class="card">{props.narrow(row)}</td>
              : columns.map(each => <td class={`${each.number ? 'number ' : ''}${each.from ?? ''}`}>
                  {each.cell(row, rows[from + at - 1])}</td>)}
          </tr>
        })}
        <Gap rows={rows.length - to} height={height} />
      </tbody>
    </table>
  </>
}

function said(out: number, added: number): string {
  const parts = []
  if (out > 0) parts.push(`${many(out, 'row')} out of order now`)
  if (added > 0) parts.push(`${many(added, 'new row')} at the end`)
  return parts.join(', ')
}

const Gap = ({ rows, height }: { rows: number; height: number }) => rows > 0
  ? <tr class="gap" aria-hidden="true" style={{ height: `${rows * height}px` }}><td /></tr> : null

function Heading<T>({ column, sort }: { column: Column<T>; sort: Sort }) {
  const mine = sort.by === column.key
  const state = mine ? (sort.down ? 'descending' : 'ascending') : 'none'
  const turn = () => adjust({ sort: sortText({ by: column.key, down: mine ? !sort.down : !!column.number }) })
  return <th scope="col" aria-sort={state}
             class={`${column.number ? 'number ' : ''}${column.from ?? ''}`}>
    <button type="button" onClick={turn} title={column.says ?? column.title}>
      {column.title}<i aria-hidden="true">{mine ? (sort.down ? '↓' : '↑') : ''}</i>
    </button>
  </th>
}

function SortChoice<T>({ columns, sort }: { columns: readonly Column<T>[]; sort: Sort }) {
  return <label class="choice">Sort by{' '}
    <select value={sortText(sort)}
            onChange={event => adjust({ sort: event.currentTarget.value })}>
      {columns.flatMap(each => [
        <option value={each.key}>{each.title} ↑</option>,
        <option value={'-' + each.key}>{each.title} ↓</option>])}
    </select>
  </label>
}

/// "s" anywhere on the page.
function useSortKey(again: () => void): void {
  useEffect(() => {
    addEventListener('leasehold-sort', again)
    return () => removeEventListener('leasehold-sort', again)
  })
}
