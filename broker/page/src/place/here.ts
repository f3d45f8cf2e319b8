// The place of the reader, from the address, and ways to go on from there.
import { Cell, useCell } from '../cell.ts'
import { type Args, hashOf, type Place, placeOf, type View } from './place.ts'

export const here = new Cell<Place>(placeOf(location.hash))
addEventListener('hashchange', () => here.set(placeOf(location.hash)))

export const usePlace = (): Place => useCell(here)

/// The address of another view: the instant goes along, other settings do not.
export function link(view: View, id = '', args: Args = {}): string {
  const { at } = here.get().args
  return hashOf({ view, id, args: at === undefined ? args : { ...args, at } })
}

export function go(view: View, id = '', args: Args = {}): void {
  location.hash = link(view, id, args)
}

/// Sets settings of this view (undefined: takes one away), in the place of the address that is there:
/// typing into a filter is no step to go back to. An instant is one.
export function adjust(change: Record<string, string | undefined>, step = false): void {
  const now = here.get()
  const args: Record<string, string> = { ...now.args }
  for (const [key, value] of Object.entries(change)) {
    if (value === undefined || value === '') delete args[key]
    else args[key] = value
  }
  const hash = hashOf({ ...now, args })
  if (hash === hashOf(now)) return
  if (step) {
    location.hash = hash
    return
  }
  history.replaceState(null, '', hash)
  here.set(placeOf(hash))
}
