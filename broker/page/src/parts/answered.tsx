// What a view shows while there is no answer, or the broker refuses.
import type { ComponentChildren } from 'preact'
import type { Refused } from '../ask/ask.ts'
import { told } from '../live/tabs.ts'
import { useCell } from '../cell.ts'
import { Name } from './text.tsx'

export function Answered({ error, ready, children }:
    { error: Refused | undefined; ready: boolean; children: ComponentChildren }) {
  const { state } = useCell(told)
  // That it is cut off the page says above, once.
  const told_above = state === 'cut' && error?.status === 0
  return <>
    {error && !told_above && <p class="refused" role="alert"><Name of={error.message} /></p>}
    {ready ? children : !error && <p class="waiting">Asking the broker …</p>}
  </>
}
