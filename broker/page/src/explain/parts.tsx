// The parts of the view "Why" for a lease, and those that it has in common with clusters, hosts and
// consumers.
import type { Explain, ShadowSaid } from '../model.ts'
import { CommandLine } from '../parts/copy.tsx'
import { count, many, Name, Token } from '../parts/text.tsx'
import { Instant } from '../parts/time.tsx'
import { link } from '../place/here.ts'

export const Numbers = ({ of }: { of: Record<string, number> }) => <p class="numbers">
  {Object.entries(of).map(([name, n]) =>
    <span key={name}><span class="hint">{name.replaceAll('_', ' ')}</span> {count(n)}</span>)}</p>

export const WouldChange = ({ of }: { of: readonly string[] }) => of.length === 0 ? null : <>
  <h3>What would change it</h3>
  <ul>{of.map(each => <li key={each}><Name of={each} /></li>)}</ul></>

/// Shows what the shadow would have done at the evaluation, beside what was done.
const Shadow = ({ of, lease }: { of: ShadowSaid; lease: string }) => <p>
  <span class="hint">The shadow <a href={link('shadows', lease)}>{of.rule}</a>{' '}
    {of.same ? 'decides the same:' : 'decides otherwise:'}</span>{' '}
  {of.slots === 0 ? 'no slots would move'
    : <>{many(of.slots, 'slot')} <Name of={of.from} /> → <Name of={of.to} /></>},{' '}
  <Token of={of.reason} /> <Name of={of.sentence} /></p>

export function Why({ explain }: { explain: Explain }) {
  return <section aria-labelledby="why">
    <h2 id="why">Why</h2>
    <p><Token of={explain.reason} /> <Name of={explain.sentence} />
      {explain.evaluated_at && <span class="hint"> found <Instant of={explain.evaluated_at} /></span>}</p>
    <Numbers of={explain.numbers} />
    {explain.waits_for && <p>Waits for: <Name of={explain.waits_for} /></p>}
    {explain.conditions.length > 0 && <ul class="conditions">
      {explain.conditions.map((each, at) => <li key={at}>
        <span class="status warn"><i aria-hidden="true">▲</i>{each.condition}</span> <Name of={each.sentence} />
        {each.then && <> Then: <Name of={each.then} /></>}{each.at && <> (<Instant of={each.at} />)</>}
        {each.command && <CommandLine of={each.command} />}
      </li>)}</ul>}
    <WouldChange of={explain.would_change} />
    {explain.shadow && <Shadow of={explain.shadow} lease={explain.id} />}
  </section>
}
