// The line that a view shows while there is no answer, or when the broker refuses.
import type { ComponentChildren } from 'preact'
import type { Refused } from '../ask/ask.ts'
import { streamState } from '../live/tabs.ts'
import { useCell } from '../cell.ts'
import { Name } from './text.tsx'

export function Answered({ error, ready, children }:
    { error: Refused | undefined; ready: boolean; children: ComponentChildren }) {
  const { state } = useCell(streamState)
  // The notice above says once that the page is cut off.
  const inNotice = state === 'cut' && error?.status === 0
  return <>
    {error && !inNotice && <p class="refused" role="alert"><Name of={error.message} /></p>}
    {ready ? children : !error && <p class="waiting">Asking the broker …</p>}
  </>
}
