// The timeline's picture with what stands under the cursor in words; by keyboard the cursor goes from
// record to record.
import type uPlot from 'uplot'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useCell } from '../cell.ts'
import { Name } from '../parts/text.tsx'
import { instantText, zoneText } from '../place/time.ts'
import { zone } from '../place/zone.ts'
import type { LeaseDetail } from '../model.ts'
import type { Mark, Point, Timeline } from './timeline.ts'
import { theme, useDark } from '../shell/theme.ts'

function MarkText({ mark }: { mark: Mark }) {
  return <span> · {mark.kind} of {mark.slots} <Name of={mark.from} /> → <Name of={mark.to} />
    {mark.reason && <> ({mark.reason})</>}</span>
}

function Said({ point, mark, lease, plan }: { point: Point | undefined; mark: Mark | undefined;
                                              lease: LeaseDetail; plan: boolean }) {
  const where = useCell(zone)
  if (!point) return <span class="hint">Point at the chart, or go through it with ← and →, for numbers.</span>
  const n = (value: number | null) => value === null ? '?' : String(value)
  const at = new Date(point.t)
  return <span><strong>{instantText(at, where)}</strong> <span class="hint">{zoneText(at, where)}</span>{' '}
    {plan ? <>has {n(point.consumerHeld)}, quota {n(point.quota)}, wants {n(point.demand)}</>
      : <><Name of={lease.provider} /> uses {n(point.providerUsed)} of {n(point.providerHeld)},{' '}
        <Name of={lease.consumer} /> {n(point.consumerUsed)} of {n(point.consumerHeld)}
        {point.moving > 0 && <>, {point.moving} in transfer</>}</>}
    {mark && <MarkText mark={mark} />}</span>
}

const NEAR_PX = 6

export function Chart({ timeline, lease, plan }: { timeline: Timeline; lease: LeaseDetail; plan: boolean }) {
  const into = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>()
  const latest = useRef(timeline)
  latest.current = timeline
  const [index, point] = useState<number | null>(null)
  const where = useCell(zone)
  const dark = useDark()
  useCell(theme)
  useEffect(() => {
    let gone = false
    const element = into.current!
    const resized = new ResizeObserver(() => {
      if (element.clientWidth > 0) chart.current?.setSize({ width: element.clientWidth, height: 260 })
    })
    void import('./chart.ts').then(({ draw }) => {
      if (gone) return
      chart.current = draw(element, () => latest.current, { zone: where, plan, slots: lease.slots, pointed: point },
        lease.provider)
      resized.observe(element)
    })
    return () => {
      gone = true
      resized.disconnect()
      chart.current?.destroy()
      chart.current = undefined
    }
  }, [where, dark, plan])
  useEffect(() => {
    const u = chart.current
    if (u) void import('./chart.ts').then(({ refresh }) => {
      if (chart.current === u) refresh(u, timeline, lease.slots, plan)
    })
  }, [timeline])

  const step = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const u = chart.current
    if (!by || !u) return
    event.preventDefault()
    const next = Math.min(timeline.points.length - 1, Math.max(0, (index ?? -1) + by))
    u.setCursor({ left: u.valToPos(timeline.points[next]!.t / 1000, 'x'), top: 0 })
    point(next)
  }
  const at = index === null ? undefined : timeline.points[index]
  const near = at && timeline.marks.find(mark => chart.current
    ? Math.abs(chart.current.valToPos(mark.t / 1000, 'x') - (chart.current.cursor.left ?? -99)) < NEAR_PX
    : mark.t === at.t)
  return <figure class="chart">
    <div ref={into} class="plot" tabIndex={0} role="application" onKeyDown={step}
         aria-label="Who held and used what; the arrow keys go from record to record" />
    <figcaption aria-live="polite"><Said point={at} mark={near} lease={lease} plan={plan} /></figcaption>
  </figure>
}
