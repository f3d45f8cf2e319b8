import assert from 'node:assert/strict'
import test from 'node:test'
import { timelineOf } from '../../../broker/page/src/lease/timeline.ts'

const SIDES = { provider: 'east', consumer: 'west', plan: false }
const at = s => new Date(s * 1000).toISOString()
let id = 0
const row = (s, kind, more = {}) => ({ id: ++id, time: at(s), kind, lease: 'pool:west', reason: null, slots: null,
  from: null, to: null, numbers: null, ...more })
const found = (pa, pu, ca, cu) => ({ provider_available: pa, provider_used: pu, consumer_available: ca,
  consumer_used: cu, provider_pending: 0, consumer_pending: 1 })
const held = p => [p.t / 1000, p.providerHeld, p.consumerHeld, p.moving]

test('a flip is followed by what was released and granted, not by what was so before', () => {
  const { points, marks } = timelineOf([row(1, 'exported', { numbers: { exported: 4, target: 4 } }),
    row(10, 'evaluation', { reason: 'tie', numbers: found(4, 1, 0, 0) }),
    row(20, 'transfer-started', { slots: 3, from: 'east', to: 'west' }),
    row(21, 'flip', { slots: 3, from: 'east', to: 'west', reason: 'provider-idle', numbers: found(4, 1, 0, 0) }),
    row(21, 'transfer-released', { slots: 3, from: 'east', to: 'west' }),
    row(22, 'transfer-granted', { slots: 3, to: 'west' }), row(23, 'transfer-done', { slots: 3 })], SIDES, 30_000)
  assert.deepEqual(points.map(held), [[1, 4, 0, 0], [10, 4, 0, 0], [21, 1, 0, 3], [22, 1, 3, 0], [30, 1, 3, 0]])
  assert.deepEqual(marks.map(({ t, slots, to, reason }) => [t, slots, to, reason]),
    [[21_000, 3, 'west', 'provider-idle']])
})

test('bands last from what begins them to what ends them, or to the end', () => {
  const { bands } = timelineOf([row(1, 'lease-offered'), row(4, 'lease-made'), row(5, 'transfer-started'),
    row(6, 'transfer-failed'), row(7, 'group-draining')], SIDES, 9_000)
  assert.deepEqual(bands.map(b => [b.kind, b.from, b.to]),
    [['offered', 1000, 4000], ['draining', 7000, 9000], ['in transfer', 5000, 6000]])
})

test('after a start the quarantine\'s end says who holds what', () => {
  const { points } = timelineOf([row(1, 'quarantine-over',
    { numbers: { held_provider: 5, held_consumer: 2, in_transfer: 1, exported: 8 } })], SIDES, 1_000)
  assert.deepEqual(points.map(held), [[1, 5, 2, 1]])
})

test('of a plan\'s consumer what it has, may have and wants', () => {
  const { points } = timelineOf([row(1, 'consumer', { numbers: { demand: 9, allocated: 4, quota: 6, borrowed: 0,
    lent: 0, shared: 0 } }), row(2, 'flip', { numbers: found(1, 1, 1, 1) })], { ...SIDES, plan: true }, 2_000)
  assert.deepEqual(points.map(p => [p.consumerHeld, p.quota, p.demand]), [[4, 6, 9], [4, 6, 9]])
})

test('nothing recorded: nothing drawn', () => {
  assert.deepEqual(timelineOf([], SIDES, 5_000), { points: [], marks: [], bands: [] })
})
