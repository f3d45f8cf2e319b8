// From row to row by keyboard: one link of the table is in the tab order, arrows move it, rows that are
// not drawn yet are scrolled to first.
import { useRef, useState } from 'preact/hooks'
import type { RefObject } from 'preact'

const ABOVE_PX = 110  // what stands over the rows while the page is scrolled
const BELOW_PX = 70

export function useRoving(body: RefObject<HTMLElement>, count: number, height: number, from: number,
                          to: number) {
  const [current, setCurrent] = useState(0)
  const wanted = useRef<number | null>(null)

  const links = () => [...body.current?.querySelectorAll<HTMLElement>('tr[data-row] a.row') ?? []]
  const rowOf = (link: Element) => Number(link.closest('tr')?.dataset.row)

  /// After drawing: the tab order, and the focus where a key wanted it.
  const updateFocus = () => {
    const inOrder = current >= from && current < to ? current : from
    for (const link of links()) {
      const row = rowOf(link)
      link.tabIndex = row === inOrder ? 0 : -1
      if (row === wanted.current) {
        link.focus({ preventScroll: true })
        wanted.current = null
      }
    }
  }

  const reach = (row: number) => {
    const top = (body.current?.getBoundingClientRect().top ?? 0) + row * height
    if (top < ABOVE_PX) scrollBy(0, top - ABOVE_PX)
    else if (top + height > innerHeight - BELOW_PX) {
      scrollBy(0, top + height - innerHeight + BELOW_PX)
    }
  }

  const key = (event: KeyboardEvent) => {
    const target = event.target as Element
    if (!target.matches('a.row') || event.ctrlKey || event.altKey || event.metaKey) return
    const page = Math.max(1, Math.floor((innerHeight - ABOVE_PX - BELOW_PX) / height) - 1)
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
      Home: -count, End: count }
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const row = Math.min(count - 1, Math.max(0, rowOf(target) + step))
    wanted.current = row
    setCurrent(row)
    reach(row)
    updateFocus()
  }
  return { key, updateFocus }
}
