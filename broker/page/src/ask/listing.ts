// Listing: all rows of one question, page by page. One page is simply asked again; of several the
// first round reads all, and later rounds the pages that are looked at and one more, so that the rest
// is never old for long and no round is a long one.
import type { AsOf } from '../model.ts'
import { ask, asRefused, isAborted, type Params, type Refused } from './ask.ts'
import { Source } from './source.ts'

const PAGE_ROWS = 2000
const LOOKED_AT_MAX = 3
const MORE_MAX = 5

interface Page<T> { after: string | undefined; rows: T[] }

export class Listing<T> extends Source {
  rows: readonly T[] = []
  complete = false
  as_of: AsOf | undefined
  error: Refused | undefined
  private pages: Page<T>[] = []
  private pageOf = new Map<string, number>()
  private looked: readonly string[] = []
  private swept = 0

  constructor(private readonly path: string, private readonly params: Params,
              private readonly keyOf: (row: T) => string, past: boolean) {
    super(past)
  }

  protected answered(): boolean {
    return this.complete
  }

  look(keys: readonly string[]): void {
    this.looked = keys
  }

  protected async once(signal: AbortSignal): Promise<boolean> {
    try {
      if (!this.complete) await this.readAll(signal)
      else if (this.pages.length === 1) await this.readOne(signal)
      else for (const page of this.due()) await this.readAgain(page, signal)
      this.error = undefined
      this.flatten()
      return true
    } catch (error) {
      if (isAborted(error)) return false
      this.error = asRefused(error)
      this.changed()
      return this.error.status === 404
    }
  }

  private async page(after: string | undefined, signal: AbortSignal, limit = PAGE_ROWS) {
    const answer = await ask<T[]>(this.path, { ...this.params, limit, after }, signal)
    this.as_of = answer.as_of
    return { rows: answer.result, next: answer.next ?? undefined }
  }

  private async readAll(signal: AbortSignal): Promise<void> {
    this.pages = []
    let after: string | undefined
    do {
      const { rows, next } = await this.page(after, signal)
      this.pages.push({ after, rows })
      after = next
      this.flatten()
    } while (after !== undefined)
    this.complete = true
  }

  /// It may have become more than a page.
  private async readOne(signal: AbortSignal): Promise<void> {
    const { rows, next } = await this.page(undefined, signal)
    this.pages = [{ after: undefined, rows }]
    this.complete = next === undefined
  }

  private due(): number[] {
    const due = new Set<number>()
    for (const key of this.looked) {
      const page = this.pageOf.get(key)
      if (page !== undefined && due.size < LOOKED_AT_MAX) due.add(page)
    }
    this.swept = (this.swept + 1) % this.pages.length
    due.add(this.swept)
    return [...due]
  }

  /// Rows that came in between push others over the page's end: read on to where the next one begins.
  private async readAgain(number: number, signal: AbortSignal): Promise<void> {
    const page = this.pages[number]
    if (!page) return
    const following = new Set(this.pages[number + 1]?.rows.map(this.keyOf))
    let { rows, next } = await this.page(page.after, signal)
    const met = () => rows.some(row => following.has(this.keyOf(row)))
    const isLast = number === this.pages.length - 1
    for (let more = 0; more < MORE_MAX && next !== undefined; ++more) {
      if (!isLast && (next === this.pages[number + 1]?.after || met())) break
      const further = await this.page(next, signal, isLast ? PAGE_ROWS : PAGE_ROWS / 10)
      rows = rows.concat(further.rows)
      next = further.next
    }
    page.rows = rows.filter(row => !following.has(this.keyOf(row)))
  }

  private flatten(): void {
    this.pageOf.clear()
    const only = this.pages.length === 1
    this.pages.forEach((page, number) => {
      if (!only) for (const row of page.rows) this.pageOf.set(this.keyOf(row), number)
    })
    this.rows = this.pages.flatMap(page => page.rows)
    this.changed()
  }
}
