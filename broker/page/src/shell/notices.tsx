// Notices about the whole page: that it shows the past, that it is cut off, that nobody leads, that
// another broker answers now.
import { useRef } from 'preact/hooks'
import { useCell } from '../cell.ts'
import { streamState } from '../live/tabs.ts'
import { nobodyOf } from '../live/stream_state.ts'
import { adjust, usePlace } from '../place/here.ts'
import { Name } from '../parts/text.tsx'
import { clockText, instantText, zoneText } from '../place/time.ts'
import { zone } from '../place/zone.ts'

export function Past() {
  const { at } = usePlace().args
  const where = useCell(zone)
  if (at === undefined) return null
  const date = new Date(at)
  const text = Number.isNaN(date.getTime()) ? at : `${instantText(date, where)} ${zoneText(date, where)}`
  return <div class="notice past" role="status">
    <strong>This is the past:</strong> <span>{text}</span>
    <button type="button" class="small" onClick={() => adjust({ at: undefined }, true)}>
      Back to now <kbd>n</kbd></button>
  </div>
}

export function CutOff() {
  const { state, since, received, why } = useCell(streamState)
  const where = useCell(zone)
  if (state !== 'cut') return null
  return <div class="notice cut" role="alert">
    <strong>Cut off from the broker since {clockText(new Date(since), where)}</strong>{' '}
    <span>{received === null ? 'It has not answered yet.'
      : `What is shown is as of ${clockText(new Date(received), where)}.`} It is tried again by itself.</span>{' '}
    {why && <span class="hint"><Name of={why} /></span>}
  </div>
}

/// In the broker's words, as leasectl's first line has them.
export function Nobody() {
  const nobody = nobodyOf(useCell(streamState))
  const where = useCell(zone)
  if (nobody === null) return null
  const since = new Date(nobody.since)
  return <div class="notice cut" role="alert">
    <strong>Nobody leads since {instantText(since, where)} {zoneText(since, where)}</strong>, because{' '}
    <Name of={nobody.why} />; <Name of={nobody.help} /></div>
}

/// The page came from one version of the broker, and another one answers.
export function Newer() {
  const { broker } = useCell(streamState)
  const first = useRef<string>()
  if (broker) first.current ??= broker.version
  if (!broker || broker.version === first.current) return null
  return <div class="notice" role="status">The broker is version <Name of={broker.version} /> now.{' '}
    <button type="button" class="small" onClick={() => location.reload()}>Load its page</button></div>
}

const SHAPES = { live: '●', 'cut off': '■', past: '◷', connecting: '○' }

export function Live() {
  const { state, time } = useCell(streamState)
  const { at } = usePlace().args
  const where = useCell(zone)
  const word = at !== undefined ? 'past' : state === 'live' ? 'live' : state === 'cut' ? 'cut off' : 'connecting'
  const says = time === null ? '' : `last event ${instantText(new Date(time), where)}`
  return <span class={`live ${word.replace(' ', '-')}`} title={says}>
    <i aria-hidden="true">{SHAPES[word]}</i>{word}</span>
}
