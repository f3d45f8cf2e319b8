import assert from 'node:assert/strict'
import test from 'node:test'
import estimated from '../fixture/what-if.json'
import { isOfLease, measureText, valueText } from '../../../broker/page/src/whatif/measures.ts'
import { added, against, measuresOf, runsOf } from '../../../broker/page/src/whatif/runs.ts'

const simulated = JSON.stringify([
  { rule: 'isolated', flips: 0, wait_mean_s: 10, clusters: [{ cluster: 'nasa', jobs: 3, wait_mean_s: 1 }] },
  { rule: 'pooled', flips: 2, wait_mean_s: 5, clusters: [{ cluster: 'nasa', jobs: 3, wait_mean_s: 2 }] }])

test('a list of results is a run each, named by its rule', () => {
  const { runs, estimate } = runsOf(simulated, 's.json')
  assert.equal(estimate, null)
  assert.deepEqual(runs.map(run => run.name), ['isolated', 'pooled'])
  assert.deepEqual(measuresOf(runs), ['flips', 'wait_mean_s', 'clusters nasa jobs', 'clusters nasa wait_mean_s'])
  assert.equal(runs[1].numbers.get('clusters nasa wait_mean_s'), 2)
})

test('an object with what happened beside another setting is two runs', () => {
  const both = { estimate: true, happened: { flips: 3 }, what_if: { flips: 1, rule: 'x' } }
  const { runs } = runsOf(JSON.stringify(both), 'w.json')
  assert.deepEqual(runs.map(run => [run.name, run.numbers.get('flips')]), [['happened', 3], ['x', 1]])
})

test('an estimate of a broker\'s own history: three runs, what was changed, what is assumed', () => {
  const { runs, estimate } = runsOf(JSON.stringify(estimated), '20m.json')
  assert.deepEqual(runs.map(run => run.name), ['Happened', 'Modelled, nothing changed', 'What if reclaim_delay = 20m'])
  assert.deepEqual(runs.map(run => run.base?.name), [undefined, undefined, 'Modelled, nothing changed'])
  assert.deepEqual([estimate.settings, estimate.assumed.length, estimate.events],
    [['reclaim_delay = 20m'], 4, estimated.events])
  assert.deepEqual(runs.map(run => [...run.facts.keys()]), [[], [], []])
  const measures = measuresOf(runs)
  assert.ok(measures.includes('clusters east unmet_slot_s') && measures.filter(isOfLease).length > 0)
  const lent = runs[0].numbers.get('lent_slot_s')
  assert.equal(valueText('lent_slot_s', lent), '28,080.1')
  assert.equal(valueText('flips', 4585), '4,585')
})

test('what happened does not stand there again for another file of the same history', () => {
  const text = JSON.stringify(estimated)
  const one = runsOf(text, 'a.json').runs
  const other = runsOf(text.replaceAll('20m', '40m').replace('"flips":1094', '"flips":9'), 'b.json').runs
  assert.deepEqual(added(one, other).map(run => run.name),
    [...one.map(run => run.name), 'What if reclaim_delay = 40m'])
})

test('measures are called as leasectl calls them, slot-seconds shown in slot-hours', () => {
  const cases = [['lent_slot_s', 'slots at consumers, slot-h'], ['slots_moved', 'slots moved'],
    ['clusters east unmet_slot_s', 'east: waited for, slot-h'], ['leases a b:c flips', 'a b:c: flips'],
    ['clusters nasa wait_mean_s', 'nasa: wait mean s'], ['new_slot_s', 'new, slot-h']]
  for (const [measure, text] of cases) assert.equal(measureText(measure), text)
})

test('a file that holds none is named', () => {
  assert.throws(() => runsOf('{', 'broken.json'), /^Error: broken\.json is no JSON/)
  for (const text of ['[]', '{}', '"text"', '3', '[1,2]']) {
    assert.throws(() => runsOf(text, 'none.json'), /none\.json holds no results/, text)
  }
})

test('differences from the first', () => {
  assert.deepEqual([against(10, 12), against(10, 5), against(3, 3), against(0, 5), against(1000, 1001),
    against(1e6, 1e6 + 1)],
    ['+20 %', '−50 %', null, null, '+0.1 %', null])
})
