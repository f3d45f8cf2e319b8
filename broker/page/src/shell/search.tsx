// Search over everything: leases, clusters, hosts, consumers, policies and the views themselves. What
// is there is asked for when somebody begins to search.
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { useAnswer, useRows } from '../ask/use.ts'
import type { Cluster, Consumer, Host, Lease, Policy } from '../model.ts'
import { Name } from '../parts/text.tsx'
import { link } from '../place/here.ts'
import { holds } from '../table/filter.ts'
import { VIEW_NAMES } from './nav.tsx'

const EACH_MAX = 6

interface Hit { kind: string; text: string; more: string; href: string }

function useEverything(): Hit[][] {
  const leases = useRows<Lease>('leases', each => each.id)
  const hosts = useRows<Host>('hosts', each => `${each.host}@${each.cluster}`)
  const clusters = useAnswer<Cluster[]>('clusters')
  const consumers = useAnswer<Consumer[]>('consumers')
  const policies = useAnswer<Policy[]>('policies')
  return useMemo(() => [
    VIEW_NAMES.map(([view, title]) => ({ kind: 'view', text: title, more: '', href: link(view) })),
    [...new Set((clusters.result ?? []).map(row => row.cluster))].map(name =>
      ({ kind: 'cluster', text: name, more: '', href: link('explain', name) })),
    leases.rows.map(row => ({ kind: 'lease', text: row.id, more: `${row.provider} → ${row.consumer}, ${row.phase}`,
      href: link('lease', row.id) })),
    hosts.rows.map(row => ({ kind: 'host', text: `${row.host}@${row.cluster}`, more: row.state,
      href: link('explain', `${row.host}@${row.cluster}`) })),
    (consumers.result ?? []).map(row => ({ kind: 'consumer', text: row.path, more: row.resource_group,
      href: link('explain', row.path) })),
    (policies.result ?? []).map(row => ({ kind: 'policy', text: row.policy, more: row.provider,
      href: link('leases', '', { policy: row.policy }) }))
  ], [leases.rows, hosts.rows, clusters.result, consumers.result, policies.result])
}

function hitsOf(everything: Hit[][], text: string): Hit[] {
  const found = everything.flatMap(list => {
    const hits: Hit[] = []
    for (const each of list) {
      if (holds(text, [each.text, each.more, each.kind])) hits.push(each)
      if (hits.length === EACH_MAX) break
    }
    return hits
  })
  return [...found, { kind: 'history', text, more: 'search in the history', href: link('history', '', { q: text }) }]
}

function Results({ text, at, set, close }: { text: string; at: number; set: (hits: Hit[]) => void;
                                             close: () => void }) {
  const everything = useEverything()
  const hits = useMemo(() => hitsOf(everything, text), [everything, text])
  useLayoutEffect(() => set(hits), [hits])  // before any key can be pressed on what is shown
  return <ul id="hits" role="listbox" aria-label="What was found">
    {hits.map((hit, n) => <li key={hit.kind + hit.text} id={`hit-${n}`} role="option" aria-selected={n === at}>
      <a href={hit.href} tabIndex={-1} onClick={close}>
        <span class="kind">{hit.kind}</span> <Name of={hit.text} /> <span class="hint"><Name of={hit.more} /></span>
      </a></li>)}
  </ul>
}

export function Search() {
  const [text, setText] = useState('')
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(0)
  const hits = useRef<Hit[]>([])
  const box = useRef<HTMLDivElement>(null)
  const close = () => setOpen(false)
  // Lists come one after another: who has gone down the hits stays at the same one, wherever it moves to.
  const found = (now: Hit[]) => {
    const chosen = hits.current[at]
    const again = now.findIndex(hit => hit.kind === chosen?.kind && hit.href === chosen.href)
    hits.current = now
    if (at > 0 && again >= 0) setAt(again)
  }
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) {
      event.preventDefault()
      setAt(now => Math.min(hits.current.length - 1, Math.max(0, now + step)))
    } else if (event.key === 'Enter') {
      const hit = hits.current[at]
      if (hit && text) {
        location.hash = hit.href
        close()
        ;(event.target as HTMLElement).blur()
      }
    } else if (event.key === 'Escape') {
      close()
      setText('')
    }
  }
  const left = (event: FocusEvent) => {
    if (!box.current?.contains(event.relatedTarget as Node | null)) close()
  }
  const shown = open && text !== ''
  return <div class="search" ref={box} onFocusOut={left}>
    <input type="search" id="search" role="combobox" aria-expanded={shown} aria-controls="hits"
           aria-autocomplete="list" aria-activedescendant={shown ? `hit-${at}` : undefined}
           aria-label="Search everything" placeholder="Search everything  /" autocomplete="off"
           spellcheck={false} value={text} onKeyDown={key} onFocus={() => setOpen(true)}
           onInput={event => {
             setText(event.currentTarget.value)
             setAt(0)
             setOpen(true)
           }} />
    {shown ? <Results text={text} at={at} set={found} close={close} />
      : <ul id="hits" role="listbox" aria-label="What was found" hidden />}
  </div>
}
