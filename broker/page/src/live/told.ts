// What is known of the stream: whether it runs, since when it does not, and the last that it said.

export interface BrokerTold { name: string; version: string; mode: string; started: string }

export interface Told {
  readonly state: 'connecting' | 'live' | 'cut'
  readonly since: number        // by the reader's clock: of that state
  readonly why: string | null   // cut: what the browser or the broker said
  readonly event: number | null // the last durable event that it told of
  readonly time: string | null  // its time
  readonly heard: number | null // by the reader's clock: when it told so
  readonly broker: BrokerTold | null
}

export const NOTHING_TOLD: Told = { state: 'connecting', since: Date.now(), why: null, event: null,
  time: null, heard: null, broker: null }
