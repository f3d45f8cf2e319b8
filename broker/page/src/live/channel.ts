// What the tabs of one broker's page tell each other. Pages of other brokers behind the same proxy
// have another base path, and so another channel.
import type { Told } from './told.ts'

/// The folder that the page came from: everything is asked relative to it.
export const BASE = new URL('.', document.baseURI).pathname

export type Message =
  | { kind: 'told'; told: Told }  // of the tab that reads the stream
  | { kind: 'told?' }             // of a tab that was just opened
  | { kind: 'try' }               // a reader is looking: do not wait to connect again
  | { kind: 'token'; value: string }
  | { kind: 'token?' }

export const channel = new BroadcastChannel('leasehold' + BASE)

export function hear(listener: (message: Message) => void): void {
  channel.addEventListener('message', event => listener(event.data as Message))
}
