// The state of the stream: whether it runs, since when it does not, and the last event that it brought.
import type { BrokerEvent, NobodyLeads } from '../model.ts'

export interface StreamState {
  readonly state: 'connecting' | 'live' | 'cut'
  readonly since: number           // by the reader's clock: of that state
  readonly why: string | null      // cut: what the browser or the broker said
  readonly event: number | null    // the last durable event that it named
  readonly time: string | null     // its time
  readonly received: number | null // by the reader's clock: when the stream last brought something
  readonly broker: BrokerEvent | null
}

export const INITIAL_STATE: StreamState = { state: 'connecting', since: Date.now(), why: null, event: null,
  time: null, received: null, broker: null }

/// An answer can differ from the one before only if this text does.
export const markOf = ({ state, event, broker }: StreamState): string =>
  `${state === 'live'} ${event} ${broker?.started} ${broker?.nobody_leads?.since}`

/// Null: somebody leads, or the page is cut off and does not know.
export const nobodyOf = ({ state, broker }: StreamState): NobodyLeads | null =>
  state === 'live' ? broker?.nobody_leads ?? null : null
