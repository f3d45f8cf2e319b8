// A status has a shape, a word and a colour, so that the colour is never all that tells.
import { plain } from './text.tsx'

export type Tone = 'ok' | 'quiet' | 'warn' | 'bad' | 'busy'

const SHAPES: Record<Tone, string> = { ok: '●', quiet: '○', warn: '▲', bad: '■', busy: '◐' }

const TONES: Record<string, Tone> = {
  // agents and clusters
  up: 'ok', ok: 'ok', lost: 'bad', refused: 'bad', degraded: 'warn', conn: 'warn', disc: 'bad',
  // phases
  active: 'ok', offered: 'quiet', inactive: 'busy', draining: 'warn', closed: 'quiet',
  // hosts
  down: 'bad', absent: 'bad', unknown: 'bad', 'provider-down': 'bad', 'consumer-down': 'warn',
  'closed-for-consumer': 'warn'
}

export const toneOf = (word: string): Tone => TONES[word] ?? 'warn'

export const Status = ({ of, tone = toneOf(of) }: { of: string; tone?: Tone }) =>
  <span class={`status ${tone}`}><i aria-hidden="true">{SHAPES[tone]}</i>{plain(of)}</span>
