// Answers for views: asked when shown, asked again when the stream tells of a change. Of a past instant
// asked once: it does not change. An answer stays on screen until there is a newer one.
import { useEffect, useState } from 'preact/hooks'
import type { AsOf } from '../model.ts'
import { usePlace } from '../place/here.ts'
import { type Answer, ask, asRefused, isAborted, type Params, type Refused, urlOf } from './ask.ts'
import { Listing } from './listing.ts'
import { shared, Source } from './source.ts'

export interface Shown<T> {
  result: T | undefined
  as_of: AsOf | undefined
  error: Refused | undefined
}
const NOTHING = { result: undefined, as_of: undefined, error: undefined }

class AnswerSource<T> extends Source {
  shown: Shown<T> = NOTHING
  constructor(private readonly path: string, private readonly params: Params, past: boolean) {
    super(past)
  }

  protected answered(): boolean {
    return this.shown.result !== undefined
  }

  protected async once(signal: AbortSignal): Promise<boolean> {
    try {
      const { result, as_of }: Answer<T> = await ask<T>(this.path, this.params, signal)
      if (result !== this.shown.result || this.shown.error) {
        this.shown = { result, as_of, error: undefined }
        this.changed()
      }
      return true
    } catch (error) {
      if (isAborted(error)) return false
      this.shown = { ...this.shown, error: asRefused(error) }
      this.changed()
      return this.shown.error?.status === 404
    }
  }
}

function useSource(source: Source | null): void {
  const [, drawn] = useState(0)
  useEffect(() => source?.use(() => drawn(n => n + 1)), [source])
}

/// `path` null: nothing is asked. The instant of the address goes with every question; `at` in
/// `params`, undefined too, says otherwise. What ends at an instant is asked once, as the past is.
export function useAnswer<T>(path: string | null, params: Params = {}): Shown<T> {
  const { at } = usePlace().args
  const given: Params = { at, ...params }
  const source = path === null ? null
    : shared('answer ' + urlOf(path, given),
        () => new AnswerSource<T>(path, given, at !== undefined || given.until !== undefined))
  useSource(source)
  return source?.shown ?? NOTHING
}

export interface Rows<T> {
  rows: readonly T[]
  complete: boolean   // all pages are there
  as_of: AsOf | undefined
  error: Refused | undefined
  /// The rows that are looked at: of a long list they are kept fresh first.
  looking: (keys: readonly string[]) => void
}

/// All rows of a list, page by page.
export function useRows<T>(path: string, keyOf: (row: T) => string, params: Params = {}): Rows<T> {
  const { at } = usePlace().args
  const given: Params = { at, ...params }
  const listing = shared('rows ' + urlOf(path, given),
    () => new Listing<T>(path, given, keyOf, given.at !== undefined))
  useSource(listing)
  const { rows, complete, as_of, error } = listing
  return { rows, complete, as_of, error, looking: keys => listing.look(keys) }
}
