// One stream for all tabs of a browser: the tab that holds the lock reads it and tells the others.
// When it is closed the browser hands the lock to the next one, which goes on from the last event.
import { Cell } from '../cell.ts'
import { BASE, channel, hear } from './channel.ts'
import { Stream } from './stream.ts'
import { NOTHING_TOLD, type Told } from './told.ts'
import { token } from '../ask/token.ts'

export const told = new Cell<Told>(NOTHING_TOLD)
/// Whether this tab reads the stream: for tests and the curious.
export const leads = new Cell<boolean>(false)

const NUDGE_MS = 2_000

function lead(): Promise<void> {
  leads.set(true)
  const stream = new Stream(now => {
    told.set(now)
    channel.postMessage({ kind: 'told', told: now })
  })
  hear(message => {
    if (message.kind === 'told?') stream.say()
    else if (message.kind === 'try') stream.nudge()
  })
  token.watch(() => stream.nudge())
  visible(() => stream.nudge())
  return stream.run(new AbortController().signal, told.get())
}

function visible(then: () => void): void {
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) then()
  })
}

/// Once, at the page's start.
export function follow(): void {
  hear(message => {
    if (message.kind === 'told' && !leads.get()) told.set(message.told)
  })
  channel.postMessage({ kind: 'told?' })
  // Timers of hidden tabs run late, the leader's too: who is looked at wakes it.
  setInterval(() => {
    if (!leads.get() && !document.hidden && told.get().state === 'cut') {
      channel.postMessage({ kind: 'try' })
    }
  }, NUDGE_MS)
  if ('locks' in navigator) void navigator.locks.request('leasehold' + BASE, lead)
  else void lead()
}
