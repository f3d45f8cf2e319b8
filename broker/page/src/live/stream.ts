// The one stream of all tabs: read by fetch, resumed where it broke, with longer waits while the
// broker stays away. Ends when its signal does.
import { token, wanted } from '../ask/token.ts'
import type { BrokerEvent, StateEvent } from '../model.ts'
import { StreamText } from './sse.ts'
import { INITIAL_STATE, type StreamState } from './stream_state.ts'

const SILENCE_MS = 40_000  // the broker says something every 15 s
const WAIT_FIRST_MS = 500
const WAIT_MAX_MS = 10_000

export class Stream {
  private current: StreamState = INITIAL_STATE
  private waits = 0
  private wake: () => void = () => {}
  private retry = WAIT_FIRST_MS

  constructor(private readonly publish: (state: StreamState) => void) {}

  /// Somebody looks at a page that is cut off: the next attempt is made now.
  nudge(): void {
    this.wake()
  }

  /// For a tab that was just opened.
  say(): void {
    this.publish(this.current)
  }

  /// `known`: the last state of the tab that read the stream before; it goes on from there.
  async run(signal: AbortSignal, known: StreamState): Promise<void> {
    this.current = known
    while (!signal.aborted) {
      try {
        await this.read(signal)
        this.cut('the broker ended the stream')
      } catch (error) {
        if (signal.aborted) return
        this.cut(error instanceof Error ? error.message : String(error))
      }
      await this.pause(signal)
    }
  }

  private now(change: Partial<StreamState>): void {
    this.current = { ...this.current, ...change }
    this.publish(this.current)
  }

  private cut(why: string): void {
    const since = this.current.state === 'cut' ? this.current.since : Date.now()
    this.now({ state: 'cut', since, why })
  }

  private async pause(signal: AbortSignal): Promise<void> {
    const ms = Math.min(WAIT_MAX_MS, this.retry * 2 ** Math.min(this.waits++, 6))
    await new Promise<void>(done => {
      // Not all pages at once after a restart of the broker.
      const timer = setTimeout(done, ms * (0.5 + Math.random() / 2))
      this.wake = () => {
        clearTimeout(timer)
        done()
      }
      signal.addEventListener('abort', this.wake, { once: true })
    })
    this.wake = () => {}
  }

  private async read(signal: AbortSignal): Promise<void> {
    const silence = new AbortController()
    const tooLong = new Error('no event or comment of the broker in time')
    const watch = () => setTimeout(() => silence.abort(tooLong), SILENCE_MS)
    let timer = watch()
    try {
      const response = await this.open(AbortSignal.any([signal, silence.signal]))
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      const text = new StreamText()
      for (;;) {
        const { value, done } = await reader.read()
        if (done) return
        clearTimeout(timer)
        timer = watch()
        for (const each of text.take(value)) this.event(each.event, each.data, each.id)
        if (text.retry !== null) this.retry = Math.max(100, text.retry / 4)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  private async open(signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { Accept: 'text/event-stream' }
    const sent = token.get()
    if (sent !== '') headers.Authorization = `Bearer ${sent}`
    if (this.current.event !== null) headers['Last-Event-ID'] = String(this.current.event)
    const response = await fetch('api/v1/stream', { headers, signal, cache: 'no-store' })
    if (response.status === 401 && sent === token.get()) wanted.set('the broker wants a token')
    if (!response.ok || !response.body) {
      await response.body?.cancel()
      throw new Error(`the broker answered ${response.status}`)
    }
    this.waits = 0
    this.now({ state: 'live', since: Date.now(), why: null, received: Date.now() })
    return response
  }

  private event(name: string, data: string, id: string | null): void {
    if (name === 'broker') this.now({ broker: JSON.parse(data) as BrokerEvent })
    else if (name === 'state') {
      const { event, time } = JSON.parse(data) as StateEvent
      this.now({ event: Number(id ?? event), time, received: Date.now() })
    }
  }
}
