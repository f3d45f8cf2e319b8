import assert from 'node:assert/strict'
import test from 'node:test'
import { windowOf } from '../../../broker/page/src/table/window.ts'

test('a screen and some rows beyond it are drawn, wherever it stands', () => {
  for (const above of [-500, 0, 12_345, 2_999_000, 9e9]) {
    const { from, to } = windowOf(100_000, 30, above, 900)
    assert.ok(from >= 0 && to <= 100_000 && from <= to && to - from <= 900 / 30 + 26, `${above}: ${from} ${to}`)
  }
  assert.deepEqual(windowOf(3, 30, 0, 900), { from: 0, to: 3 })
  assert.deepEqual(windowOf(0, 30, 0, 900), { from: 0, to: 0 })
})
