// Runs: results of `leasectl replay --what-if --json` and `leasectl simulate --json`, read from files.
// They are lists of objects, one a run, or an object that holds such a list or names each run; what is
// a number in them is compared, what else is shown. So a field that is new is shown without a change
// here. An estimate's own file says besides what was changed and what is assumed. Pure.

export interface Run {
  name: string
  file: string
  facts: Map<string, string>
  numbers: Map<string, number>
  /// The run that it is compared with; absent: the first of all.
  base?: Run
}

/// The notes of a file on all its runs.
export interface Estimate { file: string; from: string; to: string; events: number; settings: string[];
                            assumed: string[] }
export interface Results { runs: Run[]; estimate: Estimate | null }

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
      // The name of the run, or of the row, stands in its path.
      if (path !== '' && KEYS.includes(key) && typeof inside === 'string') continue
      flatten(inside, path === '' ? key : `${path} ${key}`, run)
    }
  }
}

const KEYS = ['cluster', 'lease', 'consumer', 'id']

const keyed = (fields: Fields): string | null => {
  for (const key of KEYS) if (typeof fields[key] === 'string') return fields[key] as string
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
export function runsOf(text: string, file: string): Results {
  let json: Json
  try {
    json = JSON.parse(text) as Json
  } catch (error) {
    throw new Error(`${file} is no JSON: ${error instanceof Error ? error.message : error}`)
  }
  const estimate = estimateOf(json, file)
  const found = estimate ? estimated((json as Fields).runs as Fields[], estimate) : search(json, file)
  if (found.length === 0) {
    throw new Error(`${file} holds no results; it must be what leasectl replay --what-if --json or ` +
      'leasectl simulate --json prints')
  }
  return { runs: found, estimate }
}

const texts = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter(each => typeof each === 'string') : []

/// Reads what schema/json/what-if.schema.json describes; null: the file is another.
function estimateOf(json: Json, file: string): Estimate | null {
  if (!isFields(json) || json.estimate !== true || !Array.isArray(json.runs) || !json.runs.every(isFields)) return null
  const { from, to, events } = json
  if (typeof from !== 'string' || typeof to !== 'string' || typeof events !== 'number') return null
  return { file, from, to, events, settings: texts(json.settings), assumed: texts(json.assumed) }
}

/// The changed run is compared with the model of the unchanged one: both err alike.
function estimated(values: Fields[], { file, settings }: Estimate): Run[] {
  const runs = values.map(each => {
    const run = runOf(each, file, file)
    run.facts.delete('name')
    return run
  })
  const modelled = runs.find(run => run.name === 'modelled')
  for (const run of runs) {
    if (run.name === 'what-if' && modelled) run.base = modelled
    run.name = run.name === 'happened' ? 'Happened' : run.name === 'modelled' ? 'Modelled, nothing changed'
      : run.name === 'what-if' ? `What if ${settings.join(', ') || 'nothing changed'}` : run.name
  }
  return runs
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

/// Beside those that are there: what happened need not stand there again for each file of one history.
export function added(before: readonly Run[], fresh: readonly Run[]): Run[] {
  const text = (run: Run) => JSON.stringify([run.name, ...run.numbers, ...run.facts])
  const known = new Map(before.map(run => [text(run), run]))
  return [...before, ...fresh.filter(run => !known.has(text(run)))]
}

/// The measures that any run has, in the order in which they were first met.
export const measuresOf = (runs: readonly Run[]): string[] =>
  [...new Set(runs.flatMap(run => [...run.numbers.keys()]))]

/// "+12 %", of the first; null: nothing to compare with, or as good as the same.
export function against(first: number | undefined, value: number | undefined): string | null {
  if (first === undefined || value === undefined || first === value || first === 0) return null
  const percent = (value - first) * 100 / Math.abs(first)
  if (Math.abs(percent) < 0.05) return null
  const digits = Math.abs(percent) < 10 ? 1 : 0
  return `${percent > 0 ? '+' : '−'}${Math.abs(percent).toFixed(digits)} %`
}
