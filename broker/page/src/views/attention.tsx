// Attention: everything that needs a person, oldest first, with its reason and the command to give;
// below it how things stand in all.
import { useAnswer } from '../ask/use.ts'
import type { Attention as Item } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { CommandLine } from '../parts/copy.tsx'
import { many, Name, plain, Token } from '../parts/text.tsx'
import { Age, Instant } from '../parts/time.tsx'
import { link } from '../place/here.ts'
import { Overview } from './overview.tsx'
import { useTitle } from './title.ts'

/// A lease, host@cluster or a cluster: ids of leases hold a colon, names of clusters no '@'.
function Subject({ of }: { of: string }) {
  const lease = /^[^@]*:/.test(of)
  return <a href={link(lease ? 'lease' : 'explain', of)}><Name of={of} /></a>
}

export const Need = ({ item }: { item: Item }) => <li class="need">
  <div class="when">{item.since ? <><strong><Age of={item.since} /></strong>
    <span class="hint"><Instant of={item.since} /></span></> : <span class="hint">since when is not known</span>}</div>
  <div class="what">
    <p><span class="status bad"><i aria-hidden="true">■</i>{plain(item.kind)}</span>{' '}
      {item.subject && <Subject of={item.subject} />}{' '}
      {item.reason && item.reason !== item.kind && <Token of={item.reason} />}</p>
    <p><Name of={item.detail} /></p>
    {item.then && <p class="hint">By itself: <Name of={item.then} />{item.at && <>, <Instant of={item.at} /></>}</p>}
    {item.command && <CommandLine of={item.command} />}
  </div>
</li>

export function Attention() {
  const { result: items, error } = useAnswer<Item[]>('attention')
  useTitle(items && items.length > 0 ? `(${items.length}) Attention` : 'Attention')
  return <>
    <h1>Attention {items && items.length > 0 && <small>{many(items.length, 'thing')}{' '}
      {items.length === 1 ? 'needs' : 'need'} a person, oldest first</small>}</h1>
    <Answered error={error} ready={items !== undefined}>
      {items?.length === 0 && <p class="none-open"><span class="status ok"><i aria-hidden="true">●</i></span>
        Nothing needs a person.</p>}
      <ol class="needs">
        {items?.map(item => <Need key={`${item.kind} ${item.subject} ${item.since}`} item={item} />)}
      </ol>
    </Answered>
    <Overview />
  </>
}
