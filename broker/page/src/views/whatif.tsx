// The view "What if" shows results of other settings side by side. The files are read by the browser and sent nowhere.
import { useState } from 'preact/hooks'
import { CommandLine } from '../parts/copy.tsx'
import { count, Hint, many, Name, plain } from '../parts/text.tsx'
import { Instant } from '../parts/time.tsx'
import { isOfLease, measureText, valueText } from '../whatif/measures.ts'
import { added, against, type Estimate, measuresOf, type Run, runsOf } from '../whatif/runs.ts'
import { useTitle } from './title.ts'

const FILE_MAX = 32 * 1024 * 1024

const LEASES_MAX = 600

function Compared({ runs, measures, facts, label }:
    { runs: readonly Run[]; measures: readonly string[]; facts: readonly string[]; label: string }) {
  return <div class="scroll" tabIndex={0} role="region" aria-label={label}>
    <table class="runs" style={{ minWidth: `${runs.length * 8 + 10}rem` }}>
      <thead><tr><th scope="col">Measure</th>
        {runs.map(run => <th scope="col" class="number">
          <Name of={run.name} /><br /><small><Name of={run.file} /></small></th>)}
      </tr></thead>
      <tbody>
        {measures.map(measure => <Measure key={measure} measure={measure} runs={runs} />)}
        {facts.map(fact => <tr key={fact}><th scope="row"><Name of={fact.replaceAll('_', ' ')} /></th>
          {runs.map(run => <td class="number"><Name of={run.facts.get(fact)} /></td>)}</tr>)}
      </tbody>
    </table>
  </div>
}

function Measure({ measure, runs }: { measure: string; runs: readonly Run[] }) {
  const most = Math.max(0, ...runs.map(run => Math.abs(run.numbers.get(measure) ?? 0)))
  return <tr><th scope="row"><Name of={measureText(measure)} /></th>
    {runs.map((run, at) => {
      const value = run.numbers.get(measure)
      const base = run.base ?? runs[0]
      const difference = at === 0 ? null : against(base?.numbers.get(measure), value)
      return <td class="number">
        <span class="value">{valueText(measure, value)}</span>
        {difference && <span class="difference">{difference}</span>}
        <span class="measure" aria-hidden="true">
          <i style={{ width: `${most === 0 ? 0 : Math.abs(value ?? 0) * 100 / most}%` }} /></span>
      </td>
    })}</tr>
}

function InAll({ runs }: { runs: readonly Run[] }) {
  const facts = [...new Set(runs.flatMap(run => [...run.facts.keys()]))]
    .filter(fact => new Set(runs.map(run => run.facts.get(fact))).size > 1 || runs.length === 1)
  return <Compared runs={runs} measures={measuresOf(runs).filter(each => !isOfLease(each))} facts={facts}
                   label="Results side by side" />
}

function ByLease({ runs }: { runs: readonly Run[] }) {
  const measures = measuresOf(runs).filter(isOfLease)
  if (measures.length === 0) return null
  return <details><summary>By lease</summary>
    <Compared runs={runs} measures={measures.slice(0, LEASES_MAX)} facts={[]} label="Results by lease" />
    {measures.length > LEASES_MAX && <Hint>The first {LEASES_MAX} of {count(measures.length)} rows.</Hint>}
  </details>
}

/// The notes of the files on themselves; an assumption of all of them stands there once.
function Estimates({ of }: { of: readonly Estimate[] }) {
  if (of.length === 0) return null
  return <section aria-labelledby="estimates">
    <h2 id="estimates">What was estimated</h2>
    <ul>{of.map(each => <li key={each.file}><Name of={each.file} />:{' '}
      {each.settings.length === 0 ? 'nothing changed'
        : <>what if <code><Name of={each.settings.join(', ')} /></code></>}; {many(each.events, 'event')} from{' '}
      <Instant of={each.from} day /> to <Instant of={each.to} day /></li>)}</ul>
    <Hint>"Modelled, nothing changed" is the recorded settings through the same model: how it differs from what happened
      says how far to trust what is changed, which is compared with it.</Hint>
    <h3>Assumed, for the record cannot tell it</h3>
    <ul>{[...new Set(of.flatMap(each => each.assumed))].map(each => <li key={each}><Name of={each} /></li>)}</ul>
  </section>
}

export function WhatIf() {
  const [runs, setRuns] = useState<readonly Run[]>([])
  const [estimates, setEstimates] = useState<readonly Estimate[]>([])
  const [wrong, setWrong] = useState<readonly string[]>([])
  useTitle('What if')
  const take = async (files: Iterable<File>) => {
    const found: Run[] = []
    const loaded: Estimate[] = []
    const errors: string[] = []
    for (const file of files) {
      try {
        if (file.size > FILE_MAX) throw new Error(`${file.name} is larger than 32 MiB`)
        const { runs: fresh, estimate } = runsOf(await file.text(), file.name)
        found.push(...fresh)
        if (estimate) loaded.push(estimate)
      } catch (error) {
        errors.push(error instanceof Error ? error.message : String(error))
      }
    }
    setRuns(before => added(before, found))
    setEstimates(before => [...before, ...loaded])
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
    <CommandLine of="leasectl replay leasehold.db --what-if --reclaim-delay 20m --json > twenty.json" />
    <div class="drop" onDrop={drop} onDragOver={event => event.preventDefault()}>
      <label>Open or drop results (JSON){' '}
        <input type="file" multiple accept=".json,application/json"
               onChange={event => {
                 void take([...event.currentTarget.files ?? []])
                 event.currentTarget.value = ''
               }} /></label>
      {runs.length > 0 && <button type="button" class="small" onClick={() => {
        setRuns([])
        setEstimates([])
      }}>Start again</button>}
    </div>
    {wrong.map(each => <p class="refused" role="alert">{plain(each)}</p>)}
    {runs.length === 0
      ? <Hint>Nothing opened yet. Results stand side by side, compared with the first, or with the model of what
        happened.</Hint>
      : <><p class="summary"><span class="status warn"><i aria-hidden="true">▲</i>An estimate.</span>{' '}
          What the record cannot tell is assumed.</p>
        <InAll runs={runs} /><Estimates of={estimates} /><ByLease runs={runs} /></>}
  </>
}
