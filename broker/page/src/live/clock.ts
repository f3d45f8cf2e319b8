// The broker's clock, as the page needs it for ages: what the last answer said, and what has passed
// since then. The reader's own clock may be wrong by hours.
import { Cell } from '../cell.ts'

const offset = new Cell<number>(0)

export function brokerSays(time: string): void {
  const ms = Date.parse(time)
  if (!Number.isNaN(ms)) offset.set(ms - Date.now())
}

export const brokerNow = (): number => Date.now() + offset.get()

/// The same by the reader's clock, of an instant that the page took by its own.
export const inBrokerTime = (ms: number): number => ms + offset.get()
