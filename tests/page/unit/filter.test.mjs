import assert from 'node:assert/strict'
import test from 'node:test'
import { facets, holds, matches } from '../../../broker/page/src/table/filter.ts'

test('every word must stand in a field, whatever the case', () => {
  assert.ok(holds('WEST idle', ['pool:west', 'provider-idle', null]))
  assert.ok(!holds('west east', ['pool:west', undefined]))
  assert.ok(holds('', []))
})

test('patterns', () => {
  const cases = [['ea', 'east', true], ['east', 'northeast', false], ['*east', 'northeast', true],
    ['?ast', 'east', true], ['e?st', 'eest', true], ['a.b', 'axb', false], ['(*', '(x)', true], ['x', null, false],
    ['*', 'two\nlines', true], [undefined, null, true]]
  for (const [pattern, value, expected] of cases) assert.equal(matches(pattern, value), expected, `${pattern} ${value}`)
})

test('values to choose from, each with how many rows', () => {
  assert.deepEqual(facets(['b', 'a', 'b'], each => each), [['a', 1], ['b', 2]])
})
