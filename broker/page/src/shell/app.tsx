// The page: what stands round the views, and the view that the address names.
import { useEffect } from 'preact/hooks'
import { token, wanted } from '../ask/token.ts'
import { useAnswer } from '../ask/use.ts'
import { useCell } from '../cell.ts'
import { streamState } from '../live/tabs.ts'
import type { StatusRow } from '../model.ts'
import { Name } from '../parts/text.tsx'
import { usePlace } from '../place/here.ts'
import { zoneText } from '../place/time.ts'
import { zone } from '../place/zone.ts'
import { Attention } from '../views/attention.tsx'
import { Clusters } from '../views/clusters.tsx'
import { Compare } from '../views/compare.tsx'
import { Consumers } from '../views/consumers.tsx'
import { Explain } from '../views/explain.tsx'
import { History } from '../views/history.tsx'
import { Hosts } from '../views/hosts.tsx'
import { Lease } from '../views/lease.tsx'
import { Leases } from '../views/leases.tsx'
import { Shadow, Shadows } from '../views/shadows.tsx'
import { Usage } from '../views/usage.tsx'
import { WhatIf } from '../views/whatif.tsx'
import { AskToken } from './asktoken.tsx'
import { useAbout } from './about.ts'
import { Keys } from './keys.tsx'
import { Nav } from './nav.tsx'
import { CutOff, Live, Newer, Nobody, Past } from './notices.tsx'
import { Search } from './search.tsx'
import { Slider } from './slider.tsx'
import { theme, type Theme } from './theme.ts'

function Shown() {
  const { view, id } = usePlace()
  switch (view) {
    case 'attention': return <Attention />
    case 'clusters': return <Clusters />
    case 'leases': return <Leases />
    case 'lease': return <Lease key={id} id={id} />
    case 'consumers': return <Consumers />
    case 'hosts': return <Hosts />
    case 'history': return <History />
    case 'explain': return <Explain key={id} id={id} />
    case 'usage': return <Usage />
    case 'shadows': return id === '' ? <Shadows /> : <Shadow key={id} id={id} />
    case 'whatif': return <WhatIf />
    case 'compare': return <Compare />
  }
}

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }

function Switches() {
  const where = useCell(zone)
  const colours = useCell(theme)
  return <div class="switches">
    <Live />
    <button type="button" class="small" onClick={() => zone.set(where === 'utc' ? 'local' : 'utc')}
            title="times in your zone, or in UTC (u)">
      <span class="visually-hidden">Times in </span>
      {where === 'utc' ? 'UTC' : <><span class="word">local </span>{zoneText(new Date(), 'local')}</>}</button>
    <button type="button" class="small" onClick={() => theme.set(NEXT[colours])} title="light, dark, or as the system">
      <span class="visually-hidden">Colours: </span>{colours}</button>
    <button type="button" class="small" title="keys" aria-label="Keys"
            onClick={() => dispatchEvent(new Event('leasehold-keys'))}>?</button>
  </div>
}

/// A view that is gone to begins at its top, and screen readers read its heading.
function useArrival(): void {
  const { view, id } = usePlace()
  useEffect(() => {
    scrollTo(0, 0)
    if (arrived++ > 0) document.getElementById('main')?.focus({ preventScroll: true })
  }, [view, id])
}
let arrived = 0

export function App() {
  const why = useCell(wanted)
  const known = useCell(token)
  const { args } = usePlace()
  const { state, broker } = useCell(streamState)
  const about = useAbout()
  useArrival()
  if (why !== null) return <AskToken key={known} />
  return <div class={`frame ${args.at === undefined ? '' : 'of-past'} ${state === 'cut' ? 'of-cut' : ''}`}>
    <a class="skip" href="#main" onClick={event => {
      event.preventDefault()
      document.getElementById('main')?.focus()
    }}>Skip to what is shown</a>
    <header>
      <span class="brand">Leasehold{' '}
        {(about || broker) && <small><Name of={about?.name ?? broker!.name} /></small>}</span>
      <Search />
      <Switches />
    </header>
    <Needs />
    <div class="notices"><CutOff /><Nobody /><Past /><Newer />
      {about?.mode === 'observe' && <div class="notice" role="status">
        <strong>The broker observes:</strong> it decides and records everything, and orders nothing.</div>}</div>
    <main id="main" tabIndex={-1}><Shown /></main>
    <footer><Slider begun={about?.first_event_time ? Date.parse(about.first_event_time) : null} />
      {about && <p class="hint version">{about.version}
        {about.operator && <> · <Name of={about.operator.name} /> ({about.operator.role})</>}</p>}</footer>
    <Keys />
  </div>
}

function Needs() {
  const { result } = useAnswer<StatusRow>('status')
  return <Nav needs={result?.attention ?? 0} />
}
