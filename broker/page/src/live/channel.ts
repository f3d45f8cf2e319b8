// The messages that the tabs of one broker's page send each other. Pages of other brokers behind the same proxy
// have another base path, and so another channel.
import type { StreamState } from './stream_state.ts'

/// The folder that the page came from: everything is asked relative to it.
export const BASE = new URL('.', document.baseURI).pathname

export type Message =
  | { kind: 'state'; state: StreamState }  // of the tab that reads the stream
  | { kind: 'state?' }                     // of a tab that was just opened
  | { kind: 'try' }                        // a reader is looking: do not wait to connect again
  | { kind: 'token'; value: string }
  | { kind: 'token?' }

/// Tabs that an older broker's page left open have another name and other messages.
export const TABS = 'leasehold-tabs' + BASE

export const channel = new BroadcastChannel(TABS)

export function onMessage(listener: (message: Message) => void): void {
  channel.addEventListener('message', event => listener(event.data as Message))
}
