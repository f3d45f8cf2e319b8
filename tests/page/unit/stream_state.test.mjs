import assert from 'node:assert/strict'
import test from 'node:test'
import { markOf, nobodyOf, INITIAL_STATE } from '../../../broker/page/src/live/stream_state.ts'

const broker = { name: 'campus', version: '1', mode: 'lease', started: '2026-11-22T17:05:00.000Z' }
const nobody = { since: '2026-11-22T18:00:00.000Z', why: 'the database is silent', help: 'an answer would help' }
const live = { ...INITIAL_STATE, state: 'live', event: 7, broker: { ...broker, nobody_leads: null } }
const alone = { ...live, broker: { ...broker, nobody_leads: nobody } }

test('that nobody leads is shown as the broker says it, and not while the page is cut off', () => {
  assert.deepEqual(nobodyOf(alone), nobody)
  for (const state of [INITIAL_STATE, live, { ...live, broker }, { ...alone, state: 'cut' }]) {
    assert.equal(nobodyOf(state), null)
  }
})

test('questions are asked again when nobody leads, and when somebody does again, though no event came', () => {
  assert.notEqual(markOf(alone), markOf(live))
  const later = { ...alone, broker: { ...alone.broker, nobody_leads: { ...nobody, why: 'another reason' } } }
  assert.equal(markOf(later), markOf(alone))
})
