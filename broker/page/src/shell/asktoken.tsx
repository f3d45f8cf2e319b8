// Asked once, where the broker wants to know who asks.
import { useState } from 'preact/hooks'
import { give, wanted } from '../ask/token.ts'
import { useCell } from '../cell.ts'
import { Name } from '../parts/text.tsx'

export function AskToken() {
  const why = useCell(wanted)
  const [text, set] = useState('')
  return <main id="main" class="token-form">
    <h1>Leasehold</h1>
    <p>This broker shows itself to its operators. Give your token: the content of the file that
      <code> token_file</code> names in the broker's configuration.</p>
    {why && <p class="refused" role="alert"><Name of={why} /></p>}
    <form onSubmit={event => {
      event.preventDefault()
      give(text.trim())
    }}>
      <label><span>Token</span>
        <input type="password" autocomplete="off" autofocus required value={text}
               onInput={event => set(event.currentTarget.value)} /></label>
      <button type="submit">Show the page</button>
    </form>
    <p class="hint">It is kept until this tab is closed, and given to other tabs of this page.</p>
  </main>
}
