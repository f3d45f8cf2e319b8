// The broker that answers: it is asked at the start, and again when another one answers.
import { useEffect, useState } from 'preact/hooks'
import { get } from '../ask/ask.ts'
import { askTabs, token } from '../ask/token.ts'
import { useCell } from '../cell.ts'
import { brokerSays } from '../live/clock.ts'
import { streamState } from '../live/tabs.ts'
import type { About } from '../model.ts'

export function useAbout(): About | undefined {
  const [about, set] = useState<About>()
  const { broker } = useCell(streamState)
  const known = useCell(token)
  useEffect(() => {
    if (known === '') askTabs()
    const stop = new AbortController()
    get<About>('api/v1/about', stop.signal).then(answer => {
      brokerSays(answer.time)
      set(answer)
    }, () => {})  // The notices say that it is not reached, the form that it wants a token.
    return () => stop.abort()
  }, [broker?.started, known])
  return about
}
