// Who answers: asked at the start, and again of each broker that answers after another.
import { useEffect, useState } from 'preact/hooks'
import { get } from '../ask/ask.ts'
import { askTabs, token } from '../ask/token.ts'
import { useCell } from '../cell.ts'
import { brokerSays } from '../live/clock.ts'
import { told } from '../live/tabs.ts'
import type { About } from '../model.ts'

export function useAbout(): About | undefined {
  const [about, set] = useState<About>()
  const { broker } = useCell(told)
  const known = useCell(token)
  useEffect(() => {
    if (known === '') askTabs()
    const stop = new AbortController()
    get<About>('api/v1/about', stop.signal).then(answer => {
      brokerSays(answer.time)
      set(answer)
    }, () => {})  // That it is not reached, or wants a token, is told above.
    return () => stop.abort()
  }, [broker?.started, known])
  return about
}
