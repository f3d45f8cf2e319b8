// Instants and ages on the page. Hovered, an instant is shown in the other zone, too.
import { Cell, useCell } from '../cell.ts'
import { brokerNow } from '../live/clock.ts'
import { usePlace } from '../place/here.ts'
import { instantText, spanText, zoneText } from '../place/time.ts'
import { zone } from '../place/zone.ts'

const tick = new Cell<number>(0)
setInterval(() => {
  if (!document.hidden) tick.set(tick.get() + 1)
}, 1000)

/// The instant that the page shows: the address's, else now.
export function useShownInstant(): number {
  const { at } = usePlace().args
  useCell(tick)
  const past = at === undefined ? NaN : Date.parse(at)
  return Number.isNaN(past) ? brokerNow() : past
}

export function Instant({ of, day = false }: { of: string | null | undefined; day?: boolean }) {
  const where = useCell(zone)
  if (!of) return <span class="none">–</span>
  const date = new Date(of)
  if (Number.isNaN(date.getTime())) return <span class="none">–</span>
  const other = where === 'utc' ? 'local' : 'utc'
  const today = day ? undefined : new Date()
  return <time dateTime={of} title={`${instantText(date, where)} ${zoneText(date, where)} · ` +
      `${instantText(date, other)} ${zoneText(date, other)}`}>
    {instantText(date, where, today)}
  </time>
}

export function Age({ of }: { of: string | null | undefined }) {
  const now = useShownInstant()
  const where = useCell(zone)
  if (!of) return <span class="none">–</span>
  const date = new Date(of)
  return <time dateTime={of} title={`${instantText(date, where)} ${zoneText(date, where)}`}>
    {spanText(now - date.getTime())}
  </time>
}
