import assert from 'node:assert/strict'
import test from 'node:test'
import { against, measuresOf, runsOf } from '../../../broker/page/src/whatif/runs.ts'

const simulated = JSON.stringify([
  { rule: 'isolated', flips: 0, wait_mean_s: 10, clusters: [{ cluster: 'nasa', jobs: 3, wait_mean_s: 1 }] },
  { rule: 'pooled', flips: 2, wait_mean_s: 5, clusters: [{ cluster: 'nasa', jobs: 3, wait_mean_s: 2 }] }])

test('a list of results is a run each, named by its rule', () => {
  const runs = runsOf(simulated, 's.json')
  assert.deepEqual(runs.map(run => run.name), ['isolated', 'pooled'])
  assert.deepEqual(measuresOf(runs), ['flips', 'wait_mean_s', 'clusters nasa jobs', 'clusters nasa wait_mean_s'])
  assert.equal(runs[1].numbers.get('clusters nasa wait_mean_s'), 2)
})

test('an object with what happened beside another setting is two runs', () => {
  const both = { estimate: true, happened: { flips: 3 }, what_if: { flips: 1, rule: 'x' } }
  const runs = runsOf(JSON.stringify(both), 'w.json')
  assert.deepEqual(runs.map(run => [run.name, run.numbers.get('flips')]), [['happened', 3], ['x', 1]])
})

test('a file that holds none is told by its name', () => {
  assert.throws(() => runsOf('{', 'broken.json'), /^Error: broken\.json is no JSON/)
  for (const text of ['[]', '{}', '"text"', '3', '[1,2]']) {
    assert.throws(() => runsOf(text, 'none.json'), /none\.json holds no results/, text)
  }
})

test('differences from the first', () => {
  assert.deepEqual([against(10, 12), against(10, 5), against(3, 3), against(0, 5), against(1000, 1001)],
    ['+20 %', '−50 %', null, null, '+0.1 %'])
})
