// One cluster, host or consumer: why it is as it is, what waits there and for what, its leases each
// with its own reason, what would change it.
import { useAnswer } from '../ask/use.ts'
import { Forecast } from '../explain/forecast.tsx'
import { Numbers, WouldChange } from '../explain/parts.tsx'
import type { Explain as OfLease, OtherExplain } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { Bar } from '../parts/bar.tsx'
import { many, Name, plain, Token } from '../parts/text.tsx'
import { Instant } from '../parts/time.tsx'
import { link } from '../place/here.ts'
import type { Args, View } from '../place/place.ts'
import { Need } from './attention.tsx'
import { Lease } from './lease.tsx'
import { useTitle } from './title.ts'

export function Explain({ id }: { id: string }) {
  const { result, error } = useAnswer<OtherExplain | OfLease>(`explain/${encodeURIComponent(id)}`)
  useTitle(id)
  if (result?.kind === 'lease') return <Lease id={id} />
  return <>
    <h1><small>{result && TITLES[result.kind]}</small> <Name of={id} /></h1>
    <Answered error={error} ready={result !== undefined}>{result && <>
      <Head explain={result} />
      <div class="columns">
        <div><Why explain={result} />
          {result.kind !== 'host' && <Forecast key={id} id={id} />}</div>
        <Leases explain={result} />
      </div></>}
    </Answered>
  </>
}

const TITLES = { cluster: 'Cluster', host: 'Host', consumer: 'Consumer' }

/// Returns the other views that show it.
function elsewhere({ kind, id }: OtherExplain): [View, Args, string][] {
  if (kind === 'consumer') return [['consumers', { q: id }, 'in its plan'], ['usage', { q: id }, 'usage']]
  if (kind === 'host') return [['hosts', { q: id }, 'in the list of hosts']]
  return [['leases', { cluster: id }, 'leases'], ['hosts', { cluster: id }, 'hosts'],
    ['history', { cluster: id }, 'history'], ['usage', { q: id }, 'usage']]
}

const Head = ({ explain }: { explain: OtherExplain }) => <p class="facts">
  {elsewhere(explain).map(([view, args, text]) => <a key={view} href={link(view, '', args)}>{text}</a>)}
  {explain.kind === 'host' && <a href={link('explain', explain.id.slice(explain.id.lastIndexOf('@') + 1))}>
    its cluster</a>}</p>

function Why({ explain }: { explain: OtherExplain }) {
  return <section aria-labelledby="why">
    <h2 id="why">Why</h2>
    <p>{explain.reason && <><Token of={explain.reason} />{' '}</>}<Name of={explain.sentence} />
      {explain.evaluated_at && <span class="hint"> found <Instant of={explain.evaluated_at} /></span>}</p>
    <Numbers of={explain.numbers} />
    {explain.waits_for && <p>Waits for: <Name of={explain.waits_for} /></p>}
    {explain.needs.length > 0 && <><h3>What needs a person</h3>
      <ol class="needs">{explain.needs.map((each, at) => <Need key={at} item={each} />)}</ol></>}
    {explain.work.length > 0 && <><h3>What waits there, and for what</h3>
      <ul>{explain.work.map(each => <li key={each}><Name of={each} /></li>)}</ul></>}
    <WouldChange of={explain.would_change} />
  </section>
}

function Leases({ explain }: { explain: OtherExplain }) {
  const { leases, leases_left } = explain
  const widest = Math.max(1, ...leases.map(each => each.slots))
  return <section aria-labelledby="its-leases">
    <h2 id="its-leases">Its leases</h2>
    {leases.length === 0 && <p class="hint">None.</p>}
    <ul class="conditions">{leases.map(each => <li key={`${each.id} ${each.role}`}>
      <span class="leased"><a href={link('lease', each.id)} title={plain(each.id)}><Name of={each.id} /></a>
        <Bar of={widest} parts={each.role === 'provider'
          ? [{ slots: each.used, kind: 'p-used', says: 'used by it' },
            { slots: Math.max(0, each.slots - each.used), kind: 'p-idle', says: 'idle there' }]
          : [{ slots: each.used, kind: 'c-used', says: 'used by it' },
            { slots: Math.max(0, each.slots - each.used), kind: 'c-idle', says: 'idle there' }]} />
        <span class="end">{each.used}/{each.slots} as {each.role}</span></span>
      <Token of={each.reason} /> <Name of={each.sentence} />
      {each.waits_for && <> Waits for: <Name of={each.waits_for} /></>}
    </li>)}</ul>
    {leases_left > 0 && <p class="hint">{many(leases_left, 'lease')} more.</p>}
  </section>
}
