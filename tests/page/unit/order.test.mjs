import assert from 'node:assert/strict'
import test from 'node:test'
import { compareValues, misplaced, sorted, sortOf, sortText, steady } from '../../../broker/page/src/table/order.ts'

const row = (id, n) => ({ id, n })
const key = r => r.id
const value = r => r.n

test('rows keep their places when what they are sorted by changes', () => {
  const first = sorted([row('b', 2), row('a', 1), row('c', 3)], value, key, false)
  assert.deepEqual(first.map(key), ['a', 'b', 'c'])
  const now = steady([row('a', 9), row('b', 2), row('c', 3)], key, first.map(key), new Set())
  assert.deepEqual(now.rows, [row('a', 9), row('b', 2), row('c', 3)])
  assert.equal(misplaced(now.rows, value, false), 1)
})

test('new rows come at the end and are marked, gone ones leave', () => {
  const now = steady([row('c', 3), row('x', 0), row('a', 1)], key, ['a', 'b', 'c'], new Set())
  assert.deepEqual(now.rows.map(key), ['a', 'c', 'x'])
  assert.deepEqual([...now.added], ['x'])
  const later = steady([row('a', 1), row('c', 3)], key, now.order, now.added)
  assert.deepEqual([later.rows.map(key), later.added.size], [['a', 'c'], 0])
})

test('what has no value is last, up or down; ties go by key', () => {
  for (const down of [false, true]) {
    const rows = sorted([row('n', null), row('b', 1), row('a', 1)], value, key, down)
    assert.deepEqual(rows.map(key), ['a', 'b', 'n'])
  }
  assert.ok(compareValues('10', '9', false) < 0)
  assert.ok(compareValues(10, 9, false) > 0)
})

test('how a table is sorted stands in the address as one word', () => {
  for (const text of ['slots', '-slots']) assert.equal(sortText(sortOf(text, 'id')), text)
  assert.deepEqual(sortOf(undefined, '-id'), { by: 'id', down: true })
})
