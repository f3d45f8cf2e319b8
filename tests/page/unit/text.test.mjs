import assert from 'node:assert/strict'
import test from 'node:test'
import { hasUnseen, pieces, plain } from '../../../broker/page/src/parts/text.tsx'

test('what is not seen is shown by its number', () => {
  const cases = [['\u001b[31m', '[ESC][31m'], ['a\u202eb', 'a[U+202E]b'], ['\u0000', '[U+0000]'],
    ['x\u200by', 'x[U+200B]y'], ['\u2066', '[U+2066]'], ['\u{e0041}', '[U+E0041]'], ['\n', '[U+000A]'],
    ['\u0085', '[U+0085]'], ['<b>', '<b>'], ['grün 東', 'grün 東'], ['😀', '😀']]
  for (const [text, shown] of cases) {
    assert.equal(plain(text), shown)
    assert.equal(hasUnseen(text), text !== shown)
  }
})

test('ordinary text stays one piece', () => {
  assert.deepEqual(pieces('pool:west'), [{ text: 'pool:west', unseen: false }])
})
