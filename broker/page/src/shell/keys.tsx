// Keys: "/" searches, "g" and a letter goes to a view, "?" says which there are. None of them acts
// while something is typed.
import { useEffect, useRef } from 'preact/hooks'
import { adjust, go } from '../place/here.ts'
import { zone } from '../place/zone.ts'
import { VIEW_NAMES } from './nav.tsx'

const TYPED = 'input:not([type="range"]), select, textarea, [contenteditable]'
const SECOND_KEY_MS = 1500

const HELP: readonly [string, string][] = [
  ['/', 'search everything'], ['f', 'search in this view'], ['?', 'these keys'],
  ['s', 'sort the rows again'], ['u', 'times in your zone, or in UTC'], ['n', 'back to now'],
  ['↓ ↑', 'from row to row; Page, Home and End, too'], ['Enter', 'open the row'],
  ...VIEW_NAMES.map(([, title, key]): [string, string] => [`g ${key}`, title])]

function act(key: string): boolean {
  if (key === '/') document.getElementById('search')?.focus()
  else if (key === 'f') document.querySelector<HTMLElement>('[data-filter]')?.focus()
  else if (key === 's') dispatchEvent(new Event('leasehold-sort'))
  else if (key === 'u') zone.set(zone.get() === 'utc' ? 'local' : 'utc')
  else if (key === 'n') adjust({ at: undefined }, true)
  else return false
  return true
}

export function Keys() {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    let went = 0
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return
      if ((event.target as Element).closest(TYPED) || dialog.current?.open) return
      if (event.key === '?') dialog.current?.showModal()
      else if (Date.now() - went < SECOND_KEY_MS) {
        const view = VIEW_NAMES.find(([, , key]) => key === event.key)
        went = 0
        if (!view) return
        go(view[0])
      } else if (event.key === 'g') {
        went = Date.now()
      } else if (!act(event.key)) return
      event.preventDefault()
    }
    const asked = () => dialog.current?.showModal()
    addEventListener('keydown', pressed)
    addEventListener('leasehold-keys', asked)
    return () => {
      removeEventListener('keydown', pressed)
      removeEventListener('leasehold-keys', asked)
    }
  }, [])
  return <dialog ref={dialog} aria-labelledby="keys" onClick={event => {
    if (event.target === dialog.current) dialog.current?.close()
  }}>
    <h2 id="keys">Keys</h2>
    <dl class="keys">{HELP.map(([key, says]) => <div key={key}>
      <dt>{key.split(' ').map(each => <kbd>{each}</kbd>)}</dt><dd>{says}</dd></div>)}</dl>
    <button type="button" onClick={() => dialog.current?.close()}>Close</button>
  </dialog>
}
