// Names and texts from elsewhere: they are text, whatever is in them. Characters that draw nothing,
// or draw what follows elsewhere (controls, directions, widths of none), are shown by their number.
import type { ComponentChildren, JSX } from 'preact'

const UNSEEN = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]', 'u')

export interface Piece { text: string; unseen: boolean }

export function pieces(text: string): Piece[] {
  const found: Piece[] = []
  for (const each of text) {
    const unseen = UNSEEN.test(each)
    const last = found.at(-1)
    if (!unseen && last && !last.unseen) last.text += each
    else found.push({ text: unseen ? numbered(each) : each, unseen })
  }
  return found
}

function numbered(character: string): string {
  if (character === '\u001b') return 'ESC'
  return 'U+' + character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
}

export const hasUnseen = (text: string): boolean => UNSEEN.test(text)

/// For attributes: what is not seen stands in brackets.
export const plain = (text: string): string =>
  pieces(text).map(each => each.unseen ? `[${each.text}]` : each.text).join('')

export function Name({ of }: { of: string | null | undefined }): JSX.Element {
  if (of === null || of === undefined) return <span class="none">–</span>
  if (!hasUnseen(of)) return <bdi>{of}</bdi>
  return <bdi>
    {pieces(of).map(each => each.unseen ? <span class="unseen">{each.text}</span> : each.text)}
  </bdi>
}

/// A token: of a reason, a kind, a rule.
export const Token = ({ of }: { of: string | null | undefined }) =>
  of === null || of === undefined || of === '' || of === 'none'
    ? <span class="none">–</span> : <span class="token">{plain(of)}</span>

export const Hint = ({ children }: { children: ComponentChildren }) => <p class="hint">{children}</p>

const NUMBER = new Intl.NumberFormat('en')
export const count = (n: number | null | undefined): string =>
  n === null || n === undefined ? '–' : NUMBER.format(n)

/// "1 slot", "2 slots".
export const many = (n: number, one: string, more = one + 's'): string =>
  `${count(n)} ${n === 1 ? one : more}`
