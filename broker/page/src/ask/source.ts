// Source: what is asked once for all parts of the page that show it, as long as one of them does. What
// it last said is kept for a while: who comes back to a view sees it at once, then what is new.
import { again } from './again.ts'
import { token } from './token.ts'

export abstract class Source {
  private users = 0
  private watchers = new Set<() => void>()
  private stop = new AbortController()

  /// `past`: of an instant that does not change.
  constructor(private readonly past: boolean) {}

  /// Asks; whether it was answered.
  protected abstract once(signal: AbortSignal): Promise<boolean>
  protected abstract answered(): boolean

  protected changed(): void {
    for (const watcher of [...this.watchers]) watcher()
  }

  /// Until the function that is returned is called.
  use(watcher: () => void): () => void {
    this.watchers.add(watcher)
    if (this.users++ === 0) {
      this.stop = new AbortController()
      const { signal } = this.stop
      if (!this.past) void again(() => this.once(signal), signal)
      else if (!this.answered()) void this.once(signal)
    }
    return () => {
      this.watchers.delete(watcher)
      if (--this.users === 0) this.stop.abort()
    }
  }

  get idle(): boolean {
    return this.users === 0
  }
}

const KEPT_MAX = 24
const sources = new Map<string, Source>()
token.watch(() => sources.clear())

/// The source of that name, made if there is none.
export function shared<S extends Source>(name: string, make: () => S): S {
  const known = sources.get(name) as S | undefined
  const source = known ?? make()
  sources.delete(name)
  sources.set(name, source)
  for (const [each, { idle }] of sources) {
    if (sources.size <= KEPT_MAX) break
    if (idle && each !== name) sources.delete(each)
  }
  return source
}
