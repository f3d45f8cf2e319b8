// A command to give, with a button that copies it. What holds characters that are not seen is not
// copied: pasted into a terminal it would do something else than it shows.
import { useState } from 'preact/hooks'
import { hasUnseen, Name } from './text.tsx'

const SAID_MS = 2000

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

export function CommandLine({ of }: { of: string }) {
  const [said, say] = useState('')
  const click = async () => {
    say(await copy(of) ? 'Copied' : 'Select it to copy')
    setTimeout(() => say(''), SAID_MS)
  }
  return <span class="command">
    <code><Name of={of} /></code>
    {hasUnseen(of)
      ? <span class="hint">contains hidden characters, and is not copied</span>
      : <button type="button" class="small" onClick={() => void click()}>
          {said || 'Copy'}<span class="visually-hidden"> command</span>
        </button>}
    <span class="visually-hidden" role="status">{said}</span>
  </span>
}
