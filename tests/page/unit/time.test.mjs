import assert from 'node:assert/strict'
import test from 'node:test'
import { hoursText } from '../../../broker/page/src/parts/hours.ts'
import {
  inputInstant, inputText, instantText, inText, spanText, zoneText
} from '../../../broker/page/src/place/time.ts'

const date = new Date('2026-11-21T15:04:05.678Z')

test('instants in UTC', () => {
  assert.equal(instantText(date, 'utc'), '2026-11-21 15:04:05')
  assert.equal(instantText(date, 'utc', new Date('2026-11-21T01:00:00Z')), '15:04:05')
  assert.equal(instantText(date, 'utc', new Date('2026-11-22T01:00:00Z')), '2026-11-21 15:04:05')
  assert.equal(zoneText(date, 'utc'), 'UTC')
})

test('an exact instant is typed and read back in either zone', () => {
  for (const where of ['utc', 'local']) {
    assert.equal(inputInstant(inputText(date, where), where).getTime(), Date.parse('2026-11-21T15:04:05Z'))
  }
  assert.equal(inputInstant('', 'utc'), null)
})

test('spans have two units at most', () => {
  const cases = [[0, '0 s'], [59_999, '59 s'], [60_000, '1 min'], [3_600_000, '1 h'], [5_400_000, '1 h 30 min'],
    [86_400_000, '1 d'], [90_000_000, '1 d 1 h'], [-5, '0 s']]
  for (const [ms, text] of cases) assert.equal(spanText(ms), text)
})

test('slot-hours out of slot-seconds; what is not nothing is not written as 0', () => {
  const cases = [[0, '0'], [1, '<0.1'], [3600, '1.0'], [101_088_300, '28,080.1']]
  for (const [slot_s, text] of cases) assert.equal(hoursText(slot_s), text)
})

test('how long until an instant', () => {
  assert.deepEqual([inText(-5), inText(0), inText(300_000)], ['now', 'now', 'in 5 min'])
})
