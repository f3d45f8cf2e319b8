// What is known of the stream: whether it runs, since when it does not, and the last that it said.

/// That nobody leads, in the broker's words; how it is said: shell/notices.tsx.
export interface NobodyLeads { since: string; why: string; help: string }
export interface BrokerTold {
  name: string
  version: string
  mode: string
  started: string
  nobody_leads?: NobodyLeads | null // not told by brokers of before
}

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

/// What has to be another for an answer to be another.
export const markOf = ({ state, event, broker }: Told): string =>
  `${state === 'live'} ${event} ${broker?.started} ${broker?.nobody_leads?.since}`

/// What the page says of the whole site; null: somebody leads, or the page is cut off and does not know.
export const nobodyOf = ({ state, broker }: Told): NobodyLeads | null =>
  state === 'live' ? broker?.nobody_leads ?? null : null
