// The timeline as a picture: the consumer from below, the provider from above, what is idle or on its
// way between them. Flips are arrows with the number of slots; bands say when the lease was no
// ordinary one. Drawn by uPlot, which is read when the first chart is shown.
import uPlot from 'uplot'
import { clockText, dayText, type Zone } from '../place/time.ts'
import type { Band, Mark, Timeline } from './timeline.ts'

export interface Look {
  zone: Zone
  plan: boolean
  slots: number
  /// The point under the cursor; null: none.
  pointed: (index: number | null) => void
}

const css = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim()

const HEIGHT_PX = 260
const BAND_PX = 7
const WHOLE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000, 10_000]  // slots have no halves

/// Diagonal lines: slots on their way differ from idle ones without colour.
function hatch(colour: string): CanvasPattern | string {
  const tile = document.createElement('canvas')
  tile.width = tile.height = 8
  const pen = tile.getContext('2d')
  if (!pen) return colour
  pen.strokeStyle = colour
  pen.lineWidth = 1.5
  for (const x of [-8, 0, 8]) {
    pen.beginPath()
    pen.moveTo(x, 8)
    pen.lineTo(x + 8, 0)
    pen.stroke()
  }
  return pen.createPattern(tile, 'repeat') ?? colour
}

type Values = (number | null)[]

/// x and what is drawn, from the lowest line to the highest.
function linesOf(timeline: Timeline, slots: number, plan: boolean): uPlot.AlignedData {
  const { points } = timeline
  const x = points.map(each => each.t / 1000)
  const column = (value: (p: typeof points[number]) => number | null): Values => points.map(value)
  if (plan) {
    return [x, column(p => p.consumerHeld), column(p => p.quota), column(p => p.demand)]
  }
  const all = Math.max(slots, ...points.map(p => (p.providerHeld ?? 0) + (p.consumerHeld ?? 0) + p.moving))
  return [x, column(p => p.consumerUsed), column(p => p.consumerHeld),
    column(p => p.providerHeld === null ? null : all - p.providerHeld),
    column(p => p.providerUsed === null ? null : all - p.providerUsed), column(() => all)]
}

function series(plan: boolean): uPlot.Series[] {
  const paths = uPlot.paths.stepped!({ align: 1 })
  const line = (stroke: string, width: number, more: Partial<uPlot.Series> = {}): uPlot.Series =>
    ({ stroke, width, paths, points: { show: false }, ...more })
  if (plan) {
    return [{}, line(css('--accent'), 2, { fill: css('--c-idle') }),
      line(css('--ink'), 1.5, { dash: [6, 3] }), line(css('--muted'), 1.5, { dash: [2, 3] })]
  }
  return [{}, line(css('--c-used'), 1, { fill: css('--c-used') }), line(css('--accent'), 1.5),
    line(css('--p-line'), 1.5), line(css('--p-used'), 1), line('transparent', 0)]
}

function bandsOf(plan: boolean): uPlot.Band[] {
  if (plan) return []
  return [
    { series: [2, 1], fill: css('--c-idle') },
    { series: [3, 2], fill: hatch(css('--moving')) as string },
    { series: [4, 3], fill: css('--p-idle') },
    { series: [5, 4], fill: css('--p-used') }
  ]
}

/// Flips that are at least as far apart are each marked with their number.
const MARK_PX = 16

function drawMarks(u: uPlot, marks: readonly Mark[], provider: string): void {
  const { ctx, bbox } = u
  const scale = devicePixelRatio
  let last = -Infinity
  ctx.save()
  ctx.font = `${11 * scale}px system-ui, sans-serif`
  ctx.textAlign = 'center'
  ctx.strokeStyle = ctx.fillStyle = css('--ink')
  for (const mark of marks) {
    const x = u.valToPos(mark.t / 1000, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.globalAlpha = 0.45
    ctx.lineWidth = scale
    ctx.setLineDash([2 * scale, 3 * scale])
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
    if (x - last < MARK_PX * scale) continue
    last = x
    ctx.globalAlpha = 1
    // Up: to the provider, whose slots lie above.
    ctx.fillText(`${mark.to === provider ? '▲' : '▼'}${mark.slots}`, x, bbox.top - 5 * scale)
  }
  ctx.restore()
}

function drawBands(u: uPlot, bands: readonly Band[]): void {
  const { ctx, bbox } = u
  const height = BAND_PX * devicePixelRatio
  ctx.save()
  for (const band of bands) {
    const from = Math.max(bbox.left, u.valToPos(band.from / 1000, 'x', true))
    const to = Math.min(bbox.left + bbox.width, u.valToPos(band.to / 1000, 'x', true))
    if (to < bbox.left || from > bbox.left + bbox.width) continue
    const strong = band.kind === 'breach' || band.kind === 'draining'
    ctx.fillStyle = strong ? css('--warn') : css('--moving')
    ctx.fillRect(from, bbox.top + bbox.height - height, Math.max(to - from, devicePixelRatio), height)
  }
  ctx.restore()
}

/// Hours and minutes; the day where it begins, and under the first.
function labels(splits: number[], step: number, where: Zone): string[] {
  return splits.map((at, n) => {
    const date = new Date(at * 1000)
    const clock = clockText(date, where)
    const text = step < 60 ? clock : clock.slice(0, 5)
    if (n > 0 && text !== '00:00') return text
    return `${step >= 86_400 ? '' : text + '\n'}${dayText(date, where)}`
  })
}

/// `timeline`: asked for each time that it is drawn; after it has changed: refresh().
export function draw(into: HTMLElement, timeline: () => Timeline, look: Look, provider: string): uPlot {
  const grid = { stroke: css('--line'), width: 1 }
  const axis = { stroke: css('--muted'), grid, ticks: grid, font: '12px system-ui, sans-serif' }
  return new uPlot({
    width: into.clientWidth, height: HEIGHT_PX, padding: [22, 8, 0, 0],
    tzDate: at => look.zone === 'utc' ? uPlot.tzDate(new Date(at * 1e3), 'Etc/UTC') : new Date(at * 1e3),
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
    scales: { x: { time: true }, y: { range: (_, __, max) => [0, Math.max(1, max)] } },
    axes: [{ ...axis, space: 80, values: (_, splits, __, ___, step) => labels(splits, step, look.zone) },
      { ...axis, size: 44, incrs: WHOLE_STEPS }],
    series: series(look.plan), bands: bandsOf(look.plan),
    hooks: {
      draw: [u => drawBands(u, timeline().bands), u => drawMarks(u, timeline().marks, provider)],
      setCursor: [u => look.pointed(u.cursor.left === undefined || u.cursor.left < 0 ? null : u.cursor.idx ?? null)]
    }
  }, linesOf(timeline(), look.slots, look.plan), into)
}

/// A stretch that was zoomed into stays.
export function refresh(u: uPlot, timeline: Timeline, slots: number, plan: boolean): void {
  const { min, max } = u.scales.x!
  const x = u.data[0]
  const whole = min === x[0] && max === x.at(-1)
  u.setData(linesOf(timeline, slots, plan), whole)
  if (!whole) u.redraw()
}
