// When so many slots can be had: a question of the reader's, kept in the address, and the range that
// the broker answers, each end of it with what it rests on.
import { useState } from 'preact/hooks'
import { useAnswer } from '../ask/use.ts'
import type { Forecast as ForecastAnswer, Moment, Premise } from '../model.ts'
import { Answered } from '../parts/answered.tsx'
import { many, Name, plain, Token } from '../parts/text.tsx'
import { Instant } from '../parts/time.tsx'
import { adjust, usePlace } from '../place/here.ts'
import { inText } from '../place/time.ts'

/// `provider`: of a lease, whose slots the other side's are; a consumer of a plan has no such side.
export function Forecast({ id, provider }: { id: string; provider?: string | undefined }) {
  const { args } = usePlace()
  return <section aria-labelledby="forecast">
    <h2 id="forecast">When can slots be had?</h2>
    <Question slots={args.slots} side={args.side} provider={provider} />
    {args.slots && <Answer id={id} slots={args.slots} side={provider && args.side} />}
  </section>
}

function Question({ slots, side, provider }: { slots: string | undefined; side: string | undefined;
                                               provider: string | undefined }) {
  const [text, type] = useState(slots ?? '')
  return <form class="filters" onSubmit={event => {
    event.preventDefault()
    adjust({ slots: text })
  }}>
    <label><span>How many slots</span>
      <input type="number" min={1} step={1} required value={text}
             onInput={event => type(event.currentTarget.value)} /></label>
    {provider !== undefined && <label><span>By whom</span>
      <select value={side ?? ''} onChange={event => adjust({ side: event.currentTarget.value })}>
        <option value="">the consumer</option>
        <option value="provider">{plain(provider)}, the provider</option>
      </select></label>}
    <button type="submit">Ask</button>
  </form>
}

function Answer({ id, slots, side }: { id: string; slots: string; side: string | undefined }) {
  const { result: forecast, error } = useAnswer<ForecastAnswer>(`forecast/${encodeURIComponent(id)}`,
    { slots, provider: side === 'provider' || undefined })
  return <Answered error={error} ready={forecast !== undefined}>{forecast && <>
    <p><strong><Name of={forecast.sentence} /></strong></p>
    <p class="facts">
      <span>{forecast.idle === null ? 'what is idle now is not known'
        : `${many(forecast.idle, 'slot')} idle now`}</span>
      <span>{many(forecast.most, 'slot')} at the most</span></p>
    {forecast.possible && <table class="small-table forecast" aria-labelledby="forecast">
      <thead><tr><th scope="col">When</th><th scope="col">Instant</th><th scope="col">It rests on</th></tr></thead>
      <tbody><Row name="earliest" moment={forecast.earliest} now={forecast.time} />
        <Row name="likely" moment={forecast.likely} now={forecast.time} />
        <Row name="latest" moment={forecast.latest} now={forecast.time} /></tbody></table>}
    {forecast.holds.length > 0 && <><h3>What holds it back</h3><Premises of={forecast.holds} /></>}
    <p class="hint">{trust(forecast)}</p></>}
  </Answered>
}

const Row = ({ name, moment, now }: { name: string; moment: Moment; now: string }) => <tr>
  <th scope="row">{name}</th>
  <td>{moment.at === null ? <span class="none">not known</span>
    : <>{inText(Date.parse(moment.at) - Date.parse(now))}<br />
      <span class="hint"><Instant of={moment.at} /></span></>}</td>
  <td><Premises of={moment.rests_on} /></td></tr>

const Premises = ({ of }: { of: readonly Premise[] }) => <ul class="premises">
  {of.map((each, at) => <li key={at}><Token of={each.basis} /> <Name of={each.sentence} /></li>)}</ul>

/// An estimate is named as one.
function trust({ ending_reported, error_milli, cluster }: ForecastAnswer): string {
  const ends = !ending_reported ? `${plain(cluster)}'s agent does not say when its work ends`
    : error_milli === null ? `${plain(cluster)}'s agent says when its work ends; its accuracy is not known yet`
      : `${plain(cluster)}'s agent says when its work ends, wrong by ${error_milli / 10} % of the length in the mean`
  return `A forecast, no promise: ${ends}.`
}
