// One question to the broker. What it answered before is named (If-None-Match), so that an answer that
// has not changed is neither sent nor read again.
import type { AsOf, ErrorAnswer } from '../model.ts'
import { token, wanted } from './token.ts'

export interface Answer<T> { as_of: AsOf; result: T; next?: string | null }
export type Params = Readonly<Record<string, string | number | boolean | undefined>>

/// The broker refused, or was not reached (status 0).
export class Refused extends Error {
  constructor(readonly status: number, readonly code: string, message: string,
              readonly retryMs: number | null = null) {
    super(message)
  }
}

const KEPT_MAX = 96
const kept = new Map<string, { etag: string; body: unknown }>()

function keep(url: string, etag: string, body: unknown): void {
  kept.delete(url)
  kept.set(url, { etag, body })
  const oldest = kept.keys().next()
  if (kept.size > KEPT_MAX && !oldest.done) kept.delete(oldest.value)
}
token.watch(() => kept.clear())

export function urlOf(path: string, params: Params = {}): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(params)) {
    if (value !== undefined && value !== '') query.set(key, String(value))
  }
  const text = query.toString()
  return 'api/v1/' + path + (text === '' ? '' : '?' + text)
}

async function refusal(response: Response): Promise<Refused> {
  const after = Number(response.headers.get('Retry-After'))
  const retryMs = after > 0 ? after * 1000 : null
  try {
    const { error } = await response.json() as ErrorAnswer
    return new Refused(response.status, error.code, error.message, retryMs)
  } catch {
    return new Refused(response.status, 'io', `the broker answered ${response.status}`, retryMs)
  }
}

export async function get<T>(url: string, signal?: AbortSignal): Promise<T> {
  const before = kept.get(url)
  const headers: Record<string, string> = { Accept: 'application/json' }
  if (before) headers['If-None-Match'] = before.etag
  const sent = token.get()
  if (sent !== '') headers.Authorization = `Bearer ${sent}`
  let response: Response
  try {
    response = await fetch(url, { headers, cache: 'no-store', signal: signal ?? null })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Refused(0, 'unreachable', 'the broker cannot be reached')
  }
  if (response.status === 304 && before) {
    keep(url, before.etag, before.body)
    return before.body as T
  }
  if (!response.ok) {
    const refused = await refusal(response)
    // Unless another tab gave one meanwhile.
    if (response.status === 401 && sent === token.get()) wanted.set(refused.message)
    throw refused
  }
  const body = await response.json() as T
  const etag = response.headers.get('ETag')
  if (etag) keep(url, etag, body)
  return body
}

export const ask = <T>(path: string, params: Params = {}, signal?: AbortSignal) =>
  get<Answer<T>>(urlOf(path, params), signal)

export const isAborted = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'AbortError'

export const asRefused = (error: unknown): Refused =>
  error instanceof Refused ? error : new Refused(0, 'io', String(error))
