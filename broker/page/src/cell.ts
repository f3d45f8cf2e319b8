// Cell: a value that tells who watches when it is another. Not a store of the whole page: one for each
// thing that more than one part shows.
import { useEffect, useState } from 'preact/hooks'

export class Cell<T> {
  private watchers = new Set<() => void>()
  constructor(private value: T) {}

  get(): T {
    return this.value
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return
    this.value = value
    for (const watcher of [...this.watchers]) watcher()
  }

  watch(watcher: () => void): () => void {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }
}

export function useCell<T>(cell: Cell<T>): T {
  const [, again] = useState(0)
  useEffect(() => {
    const seen = cell.get()
    const stop = cell.watch(() => again(n => n + 1))
    // The value may have changed between drawing and watching.
    if (!Object.is(seen, cell.get())) again(n => n + 1)
    return stop
  }, [cell])
  return cell.get()
}

/// A cell whose text is kept by the browser, the same in every tab.
export function kept<T extends string>(name: string, otherwise: T, allowed: readonly T[]): Cell<T> {
  const known = (text: string | null): T => allowed.find(each => each === text) ?? otherwise
  const read = () => {
    try {
      return known(localStorage.getItem(name))
    } catch {
      return otherwise
    }
  }
  const cell = new Cell<T>(read())
  cell.watch(() => {
    try {
      localStorage.setItem(name, cell.get())
    } catch {
      // Without storage it holds for this tab.
    }
  })
  addEventListener('storage', event => {
    if (event.key === name) cell.set(known(event.newValue))
  })
  return cell
}
