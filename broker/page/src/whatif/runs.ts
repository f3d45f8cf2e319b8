// Runs: results of `leasectl replay --what-if --json` and `leasectl simulate --json`, read from files.
// They are lists of objects, one a run, or an object that holds such a list or names each run; what is
// a number in them is compared, what else is told. So a field that is new is shown without a change
// here. Pure.

export interface Run { name: string; file: string; facts: Map<string, string>; numbers: Map<string, number> }

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
type Fields = { [key: string]: Json }

const isFields = (value: Json | undefined): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const NAMES = ['name', 'label', 'setting', 'run', 'rule']

function nameOf(fields: Fields, otherwise: string): string {
  for (const key of NAMES) if (typeof fields[key] === 'string') return fields[key] as string
  return otherwise
}

/// Numbers at any depth by their path; lists of objects by what names each.
function flatten(value: Json, path: string, run: Run): void {
  if (typeof value === 'number') run.numbers.set(path, value)
  else if (typeof value === 'string' || typeof value === 'boolean') run.facts.set(path, String(value))
  else if (Array.isArray(value)) {
    const plain = value.filter(each => typeof each === 'string' || typeof each === 'number')
    if (plain.length === value.length && plain.length > 0 && plain.length <= 20) {
      run.facts.set(path, plain.join('; '))
    } else value.forEach((each, at) => {
      if (isFields(each)) flatten(each, `${path} ${nameOf(each, keyed(each) ?? String(at + 1))}`, run)
    })
  } else if (isFields(value)) {
    for (const [key, inside] of Object.entries(value)) {
      flatten(inside, path === '' ? key : `${path} ${key}`, run)
    }
  }
}

const keyed = (fields: Fields): string | null => {
  for (const key of ['cluster', 'lease', 'consumer', 'id']) {
    if (typeof fields[key] === 'string') return fields[key] as string
  }
  return null
}

function runOf(fields: Fields, name: string, file: string): Run {
  const run: Run = { name: nameOf(fields, name), file, facts: new Map(), numbers: new Map() }
  flatten(fields, '', run)
  return run
}

/// Several objects that have numbers under the same keys are runs beside each other.
function alike(values: Fields[]): boolean {
  const [first, ...rest] = values.map(each => Object.keys(each).filter(key => typeof each[key] === 'number'))
  return first !== undefined && first.length > 0 && rest.length > 0 &&
    rest.every(keys => keys.some(key => first.includes(key)))
}

/// Throws an Error that says what is wrong with the file.
export function runsOf(text: string, file: string): Run[] {
  let json: Json
  try {
    json = JSON.parse(text) as Json
  } catch (error) {
    throw new Error(`${file} is no JSON: ${error instanceof Error ? error.message : error}`)
  }
  const found = search(json, file)
  if (found.length === 0) {
    throw new Error(`${file} holds no results; it must be what leasectl replay --what-if --json or ` +
      'leasectl simulate --json prints')
  }
  return found
}

function search(json: Json, file: string): Run[] {
  if (Array.isArray(json)) {
    return json.filter(isFields).map((each, at) => runOf(each, `${file} ${at + 1}`, file))
      .filter(run => run.numbers.size > 0)
  }
  if (!isFields(json)) return []
  const named = Object.entries(json).filter((each): each is [string, Fields] => isFields(each[1]))
  if (alike(named.map(([, value]) => value))) {
    return named.map(([name, value]) => runOf(value, name.replaceAll('_', ' '), file))
  }
  for (const value of Object.values(json)) {
    if (Array.isArray(value) && value.every(isFields) && alike(value as Fields[])) return search(value, file)
  }
  return [runOf(json, file, file)].filter(run => run.numbers.size > 0)
}

/// What of all runs is compared, in the order in which it was first met.
export const measuresOf = (runs: readonly Run[]): string[] =>
  [...new Set(runs.flatMap(run => [...run.numbers.keys()]))]

/// "+12 %", of the first; null: nothing to compare with.
export function against(first: number | undefined, value: number | undefined): string | null {
  if (first === undefined || value === undefined || first === value || first === 0) return null
  const percent = (value - first) * 100 / Math.abs(first)
  const digits = Math.abs(percent) < 10 ? 1 : 0
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(digits)} %`
}
