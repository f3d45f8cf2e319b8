// A question is asked again after each event of the stream, at most twice a second and never so often that asking
// is all the page does; not while nobody looks; and once more when a broker that was away is back.
import { streamState } from '../live/tabs.ts'
import { markOf } from '../live/stream_state.ts'
import { token } from './token.ts'

const BETWEEN_MS = 500
const BUSY_SHARE = 4         // after an answer that took long: wait that many times as long,
const BUSY_MAX_MS = 5_000    // but no longer than this
const WAIT_AFTER_ERROR_MS = 3_000

/// `once` asks, and says whether it was answered. Ends when `signal` does.
export async function again(once: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  for (;;) {
    const seen = mark()
    const asked = once()
    // From when the question left: on a busy machine that is later than when it was wanted.
    const left = performance.now()
    const answered = await asked
    if (signal.aborted) return
    const took = performance.now() - left
    const busy = Math.min(took * BUSY_SHARE, BUSY_MAX_MS)
    await pause(Math.max(BETWEEN_MS - took, busy, answered ? 0 : WAIT_AFTER_ERROR_MS), signal,
      answered ? null : seen)
    await until(() => !document.hidden && (mark() !== seen || !answered), signal)
    if (signal.aborted) return
  }
}

const mark = (): string => `${markOf(streamState.get())} ${token.get()}`

/// `unless`: ends early when the mark is no longer that.
function pause(ms: number, signal: AbortSignal, unless: string | null): Promise<void> {
  return new Promise(done => {
    const end = () => {
      clearTimeout(timer)
      stops.forEach(stop => stop())
      done()
    }
    const timer = setTimeout(end, ms)
    const check = () => {
      if (unless !== null && mark() !== unless) end()
    }
    const stops = [streamState.watch(check), token.watch(check)]
    signal.addEventListener('abort', end, { once: true })
  })
}

function until(ready: () => boolean, signal: AbortSignal): Promise<void> {
  return new Promise(done => {
    const check = () => {
      if (!ready() && !signal.aborted) return
      stops.forEach(stop => stop())
      document.removeEventListener('visibilitychange', check)
      done()
    }
    const stops = [streamState.watch(check), token.watch(check)]
    document.addEventListener('visibilitychange', check)
    signal.addEventListener('abort', check, { once: true })
    check()
  })
}
