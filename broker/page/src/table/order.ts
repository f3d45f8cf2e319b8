// The order of rows while somebody reads them: a row stays where it is though what it is sorted by has
// changed; rows that are new come at the end, rows that are gone go. Sorting again is asked for. Pure.

export interface Sort { by: string; down: boolean }

/// "-slots": from the most down.
export function sortOf(text: string | undefined, otherwise: string): Sort {
  const given = text || otherwise
  return given.startsWith('-') ? { by: given.slice(1), down: true } : { by: given, down: false }
}
export const sortText = (sort: Sort): string => (sort.down ? '-' : '') + sort.by

export type SortValue = string | number | null

/// Without a value: last, whichever way.
export function compareValues(a: SortValue, b: SortValue, down: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  const less = typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a) < String(b) ? -1 : String(a) > String(b) ? 1 : 0
  return down ? -less : less
}

export function sorted<T>(rows: readonly T[], value: (row: T) => SortValue, key: (row: T) => string,
                          down: boolean): T[] {
  const values = new Map(rows.map(row => [row, value(row)]))
  return [...rows].sort((a, b) => compareValues(values.get(a)!, values.get(b)!, down) ||
    compareValues(key(a), key(b), false))
}

export interface Steady<T> {
  rows: T[]
  order: string[]      // to hand in with the next rows
  added: Set<string>   // keys that came since it was sorted
}

/// `rows` in the order that was shown before.
export function steady<T>(rows: readonly T[], key: (row: T) => string, before: readonly string[],
                          added: ReadonlySet<string>): Steady<T> {
  const byKey = new Map(rows.map(row => [key(row), row]))
  const known = new Set(before)
  const kept = before.filter(each => byKey.has(each))
  const fresh = [...byKey.keys()].filter(each => !known.has(each))
  const order = fresh.length === 0 && kept.length === before.length ? [...before] : [...kept, ...fresh]
  return {
    rows: order.map(each => byKey.get(each)!),
    order,
    added: new Set([...added, ...fresh].filter(each => byKey.has(each)))
  }
}

/// Returns roughly how many stand elsewhere than sorting would put them: those that are less than the
/// one before them.
export function misplaced<T>(rows: readonly T[], value: (row: T) => SortValue, down: boolean): number {
  let count = 0
  for (let i = 1; i < rows.length; ++i) {
    if (compareValues(value(rows[i - 1]!), value(rows[i]!), down) > 0) ++count
  }
  return count
}
