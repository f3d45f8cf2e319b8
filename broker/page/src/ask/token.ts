// The operator's token: asked for once, kept until the tab closes, sent to the other tabs of this
// page. Not in localStorage: what outlives the browser's session would outlive the operator's.
import { Cell } from '../cell.ts'
import { channel, onMessage } from '../live/channel.ts'

const NAME = 'leasehold.token'

function stored(): string {
  try {
    return sessionStorage.getItem(NAME) ?? ''
  } catch {
    return ''
  }
}

export const token = new Cell<string>(stored())
/// The broker wants one, or refused the one that was sent: why.
export const wanted = new Cell<string | null>(null)

function keep(value: string): void {
  try {
    if (value === '') sessionStorage.removeItem(NAME)
    else sessionStorage.setItem(NAME, value)
  } catch {
    // Without storage it holds until the page is left.
  }
  token.set(value)
  if (value !== '') wanted.set(null)
}

export function give(value: string): void {
  keep(value)
  channel.postMessage({ kind: 'token', value })
}

/// A tab that was just opened does this before it asks its reader.
export function askTabs(): void {
  channel.postMessage({ kind: 'token?' })
}

onMessage(message => {
  if (message.kind === 'token?' && token.get() !== '') {
    channel.postMessage({ kind: 'token', value: token.get() })
  } else if (message.kind === 'token' && message.value !== token.get()) {
    keep(message.value)
  }
})
