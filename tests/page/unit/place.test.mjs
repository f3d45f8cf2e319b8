import assert from 'node:assert/strict'
import test from 'node:test'
import { FIRST, hashOf, placeOf } from '../../../broker/page/src/place/place.ts'

test('every place has an address that leads back to it', () => {
  const places = [FIRST,
    { view: 'lease', id: 'compute:/research/genomics@pool', args: { at: '2026-11-21T14:00:00.000Z' } },
    { view: 'leases', id: '', args: { q: 'a&b=c #?', sort: '-slots' } },
    { view: 'explain', id: '/research/genomics', args: { slots: '64' } },
    { view: 'explain', id: 'big1@east', args: {} },
    { view: 'lease', id: '100%:\u202e<x>', args: {} }]
  for (const place of places) assert.deepEqual(placeOf(hashOf(place)), place)
})

test('an address that is none leads to the first view', () => {
  for (const hash of ['', '#', '#/', '#/nowhere', '#%%', '#/__proto__']) assert.deepEqual(placeOf(hash), FIRST)
  assert.equal(placeOf('#/lease/%E0%A4').id, '%E0%A4')
})
