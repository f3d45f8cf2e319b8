// One stream for all tabs of a browser: the tab that holds the lock reads it and tells the others.
// When it is closed the browser hands the lock to the next one, which goes on from the last event.
import { Cell } from '../cell.ts'
import { channel, onMessage, TABS } from './channel.ts'
import { Stream } from './stream.ts'
import { INITIAL_STATE, type StreamState } from './stream_state.ts'
import { token } from '../ask/token.ts'

export const streamState = new Cell<StreamState>(INITIAL_STATE)
/// True if this tab reads the stream: for tests and the curious.
export const leads = new Cell<boolean>(false)

const NUDGE_MS = 2_000

function lead(): Promise<void> {
  leads.set(true)
  const stream = new Stream(now => {
    streamState.set(now)
    channel.postMessage({ kind: 'state', state: now })
  })
  onMessage(message => {
    if (message.kind === 'state?') stream.say()
    else if (message.kind === 'try') stream.nudge()
  })
  token.watch(() => stream.nudge())
  visible(() => stream.nudge())
  return stream.run(new AbortController().signal, streamState.get())
}

function visible(then: () => void): void {
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) then()
  })
}

/// Called once, at the page's start.
export function follow(): void {
  onMessage(message => {
    if (message.kind === 'state' && !leads.get()) streamState.set(message.state)
  })
  channel.postMessage({ kind: 'state?' })
  // Timers of hidden tabs run late, the leader's too: who is looked at wakes it.
  setInterval(() => {
    if (!leads.get() && !document.hidden && streamState.get().state === 'cut') {
      channel.postMessage({ kind: 'try' })
    }
  }, NUDGE_MS)
  if ('locks' in navigator) void navigator.locks.request(TABS, lead)
  else void lead()
}
