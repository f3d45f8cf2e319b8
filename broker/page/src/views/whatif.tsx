// What if: results of other settings side by side. The files are read by the browser and sent nowhere.
import { useState } from 'preact/hooks'
import { CommandLine } from '../parts/copy.tsx'
import { count, Hint, Name, plain } from '../parts/text.tsx'
import { against, measuresOf, type Run, runsOf } from '../whatif/runs.ts'
import { useTitle } from './title.ts'

const FILE_MAX = 32 * 1024 * 1024

const shown = (n: number | undefined) => n === undefined ? '–'
  : Number.isInteger(n) ? count(n) : n.toLocaleString('en', { maximumFractionDigits: 2 })

function Compared({ runs }: { runs: readonly Run[] }) {
  const measures = measuresOf(runs)
  const facts = [...new Set(runs.flatMap(run => [...run.facts.keys()]))]
    .filter(fact => new Set(runs.map(run => run.facts.get(fact))).size > 1 || runs.length === 1)
  return <div class="scroll" tabIndex={0} role="region" aria-label="Results side by side">
    <table class="runs">
      <thead><tr><th scope="col">Measure</th>
        {runs.map(run => <th scope="col" class="number">
          <Name of={run.name} /><br /><small><Name of={run.file} /></small></th>)}
      </tr></thead>
      <tbody>
        {measures.map(measure => {
          const first = runs[0]?.numbers.get(measure)
          const most = Math.max(0, ...runs.map(run => Math.abs(run.numbers.get(measure) ?? 0)))
          return <tr key={measure}><th scope="row"><Name of={measure.replaceAll('_', ' ')} /></th>
            {runs.map((run, at) => {
              const value = run.numbers.get(measure)
              const difference = at === 0 ? null : against(first, value)
              return <td class="number">
                <span class="value">{shown(value)}</span>
                {difference && <span class="difference">{difference}</span>}
                <span class="measure" aria-hidden="true">
                  <i style={{ width: `${most === 0 ? 0 : Math.abs(value ?? 0) * 100 / most}%` }} /></span>
              </td>
            })}</tr>
        })}
        {facts.map(fact => <tr key={fact}><th scope="row"><Name of={fact.replaceAll('_', ' ')} /></th>
          {runs.map(run => <td class="number"><Name of={run.facts.get(fact)} /></td>)}</tr>)}
      </tbody>
    </table>
  </div>
}

export function WhatIf() {
  const [runs, setRuns] = useState<readonly Run[]>([])
  const [wrong, setWrong] = useState<readonly string[]>([])
  useTitle('What if')
  const take = async (files: Iterable<File>) => {
    const found: Run[] = []
    const errors: string[] = []
    for (const file of files) {
      try {
        if (file.size > FILE_MAX) throw new Error(`${file.name} is larger than 32 MiB`)
        found.push(...runsOf(await file.text(), file.name))
      } catch (error) {
        errors.push(error instanceof Error ? error.message : String(error))
      }
    }
    setRuns(before => [...before, ...found])
    setWrong(errors)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    void take(event.dataTransfer?.files ?? [])
  }
  return <>
    <h1>What if</h1>
    <p>Another rule, delay or plan on this site's own history, beside what happened. Make a result in a
      terminal, then open it here: it is read by this page and sent nowhere.</p>
    <CommandLine of="leasectl replay leasehold.db --what-if --rule demand-aware --json > demand-aware.json" />
    <div class="drop" onDrop={drop} onDragOver={event => event.preventDefault()}>
      <label>Open or drop results (JSON){' '}
        <input type="file" multiple accept=".json,application/json"
               onChange={event => {
                 void take([...event.currentTarget.files ?? []])
                 event.currentTarget.value = ''
               }} /></label>
      {runs.length > 0 && <button type="button" class="small" onClick={() => setRuns([])}>Start anew</button>}
    </div>
    {wrong.map(each => <p class="refused" role="alert">{plain(each)}</p>)}
    {runs.length === 0
      ? <Hint>Nothing opened yet. Two or more results stand side by side, each compared with the first.</Hint>
      : <><p class="summary">An estimate: what the record cannot tell is assumed, as the results say.</p>
        <Compared runs={runs} /></>}
  </>
}
