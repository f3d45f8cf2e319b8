import assert from 'node:assert/strict'
import test from 'node:test'
import { StreamText } from '../../../broker/page/src/live/sse.ts'

const all = (pieces, text = new StreamText()) => [pieces.flatMap(piece => text.take(piece)), text]

test('events, however the bytes are cut', () => {
  const whole = 'retry: 2000\nevent: broker\ndata: {}\n\n: beat\n\nevent: state\nid: 7\ndata: {"event":7}\n\n'
  for (let size = 1; size <= whole.length; ++size) {
    const [events, text] = all(whole.match(new RegExp(`[^]{1,${size}}`, 'g')))
    assert.deepEqual(events, [{ event: 'broker', data: '{}', id: null },
      { event: 'state', data: '{"event":7}', id: '7' }], `pieces of ${size}`)
    assert.equal(text.retry, 2000)
  }
})

test('all three ends of lines, several lines of data, an id that stays', () => {
  const whole = 'id: 1\r\ndata: a\r\ndata: b\r\n\r\ndata:c\r\rdata: d\n\n'
  for (const size of [1, 2, 3, 99]) {
    const [events] = all(whole.match(new RegExp(`[^]{1,${size}}`, 'g')))
    assert.deepEqual(events.map(each => [each.event, each.data, each.id]),
      [['message', 'a\nb', '1'], ['message', 'c', '1'], ['message', 'd', '1']])
  }
})

test('what has no data is no event; a retry that is no number is none', () => {
  const [events, text] = all(['event: state\n\nretry: soon\nunknown: x\n\n'])
  assert.deepEqual([events, text.retry], [[], null])
})
