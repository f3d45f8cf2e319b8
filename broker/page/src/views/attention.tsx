// Attention: everything that needs a person, oldest first, with its reason and the command to give;
// below it how things stand in all.
import { useAnswer } from '../ask/use.ts'
import type { Attention as Item, Cluster } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { CommandLine } from '../parts/copy.tsx'
import { many, Name, Token } from '../parts/text.tsx'
import { Age, Instant } from '../parts/time.tsx'
import { link } from '../place/here.ts'
import { Overview } from './overview.tsx'
import { troubles } from './clusters.tsx'
import { useTitle } from './title.ts'

/// Of a broker that has no such list: what its clusters tell.
export function ofClusters(clusters: readonly Cluster[]): Item[] {
  const seen = new Set<string>()
  const found: Item[] = []
  for (const row of clusters) {
    if (seen.has(row.cluster) || row.agent === 'up' && row.status === 'ok') continue
    seen.add(row.cluster)
    found.push({ since: row.last_report, kind: `agent-${row.agent}`, subject: row.cluster,
      reason: row.reason, detail: troubles(row).join('; ') || null,
      command: `leasectl clusters --cluster ${row.cluster}` })
  }
  return found.sort((a, b) => (a.since ?? '') < (b.since ?? '') ? -1 : 1)
}

function Subject({ of }: { of: string }) {
  const lease = /^[^@]*:/.test(of)
  const href = lease ? link('lease', of)
    : of.includes('@') ? link('hosts', '', { q: of }) : link('leases', '', { cluster: of })
  return <a href={href}><Name of={of} /></a>
}

const Row = ({ item }: { item: Item }) => <li class="need">
  <div class="when"><strong><Age of={item.since} /></strong><span class="hint"><Instant of={item.since} /></span></div>
  <div class="what">
    <p><span class="status bad"><i aria-hidden="true">■</i><Name of={item.kind} /></span>{' '}
      {item.subject && <Subject of={item.subject} />}{' '}
      {item.reason && <Token of={item.reason} />}</p>
    {item.detail && <p><Name of={item.detail} /></p>}
    {item.command && <CommandLine of={item.command} />}
  </div>
</li>

export function Attention() {
  const asked = useAnswer<Item[]>('attention')
  const missing = asked.error?.status === 404
  const clusters = useAnswer<Cluster[]>(missing ? 'clusters' : null)
  const items = missing ? clusters.result && ofClusters(clusters.result) : asked.result
  useTitle(items && items.length > 0 ? `(${items.length}) Attention` : 'Attention')
  return <>
    <h1>Attention {items && items.length > 0 && <small>{many(items.length, 'thing')} that
      {items.length === 1 ? ' needs' : ' need'} a person, oldest first</small>}</h1>
    <Answered error={missing ? clusters.error : asked.error} ready={items !== undefined}>
      {items?.length === 0 && <p class="calm"><span class="status ok"><i aria-hidden="true">●</i></span>
        Nothing needs a person.</p>}
      <ol class="needs">
        {items?.map(item => <Row key={`${item.kind} ${item.subject} ${item.since}`} item={item} />)}
      </ol>
      {missing && <p class="hint">From what clusters tell: this broker keeps no list of what needs a person.</p>}
    </Answered>
    <Overview />
  </>
}
