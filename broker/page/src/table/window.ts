// A long table draws only the rows on screen and some before and after, by the page's own scrolling. The
// others are two empty rows of their height.
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { RefObject } from 'preact'

const BEYOND = 12

export interface Drawn { from: number; to: number }

export function windowOf(count: number, rowHeight: number, above: number, height: number): Drawn {
  const from = Math.floor(Math.max(0, above) / rowHeight) - BEYOND
  const to = Math.ceil((Math.max(0, above) + height) / rowHeight) + BEYOND
  return { from: Math.min(Math.max(0, from), count), to: Math.min(count, Math.max(to, 0)) }
}

/// `body`: the rows' element, whose top says how far was scrolled.
export function useWindow(body: RefObject<HTMLElement>, count: number, rowHeight: number): Drawn {
  const measured = (): Drawn => {
    const top = body.current?.getBoundingClientRect().top ?? 0
    return windowOf(count, rowHeight, -top, innerHeight)
  }
  const [drawn, set] = useState<Drawn>(() => windowOf(count, rowHeight, 0, innerHeight))
  const look = () => set(before => {
    const now = measured()
    return now.from === before.from && now.to === before.to ? before : now
  })
  useLayoutEffect(look, [count, rowHeight])
  useEffect(() => {
    let asked = 0
    const soon = () => {
      asked ||= requestAnimationFrame(() => {
        asked = 0
        look()
      })
    }
    addEventListener('scroll', soon, { passive: true })
    addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(asked)
      removeEventListener('scroll', soon)
      removeEventListener('resize', soon)
    }
  }, [count, rowHeight])
  return { from: Math.min(drawn.from, count), to: Math.min(drawn.to, count) }
}
