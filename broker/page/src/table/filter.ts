// The filters choose the rows: words that a row must hold, and patterns for single fields ('*' any text, '?'
// one character), as leasectl's filters. Pure.

/// Every word in `text` stands in one of `fields`, whatever the case.
export function holds(text: string | undefined, fields: readonly (string | null | undefined)[]): boolean {
  if (!text) return true
  const all = fields.map(each => each ?? '').join('\n').toLowerCase()
  return text.toLowerCase().split(/\s+/).every(word => all.includes(word))
}

/// A pattern without '*' and '?' is a beginning: who types "ea" sees "east".
export function matches(pattern: string | undefined, value: string | null): boolean {
  if (!pattern) return true
  if (value === null) return false
  if (!/[*?]/.test(pattern)) return value.toLowerCase().startsWith(pattern.toLowerCase())
  return globOf(pattern).test(value)
}

const globs = new Map<string, RegExp>()

function globOf(pattern: string): RegExp {
  const known = globs.get(pattern)
  if (known) return known
  if (globs.size > 100) globs.clear()
  const source = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('\\*', '[^]*').replaceAll('\\?', '[^]')
  const made = new RegExp(`^${source}$`, 'i')
  globs.set(pattern, made)
  return made
}

/// The values that a field has, and how many rows each: for a list to choose from.
export function facets<T>(rows: readonly T[], value: (row: T) => string): [string, number][] {
  const counts = new Map<string, number>()
  for (const row of rows) counts.set(value(row), (counts.get(value(row)) ?? 0) + 1)
  return [...counts].sort(([a], [b]) => a < b ? -1 : 1)
}
