// Place: what is shown, as it stands in the address behind '#': a view, what it is about, and its
// settings, the instant among them. So every view and every instant has a link. Pure.

export const VIEWS = ['attention', 'clusters', 'leases', 'lease', 'consumers', 'hosts', 'history',
  'explain', 'usage', 'shadows', 'whatif', 'compare'] as const
export type View = (typeof VIEWS)[number]
export type Args = Readonly<Record<string, string>>

export interface Place {
  readonly view: View
  readonly id: string  // of `lease`, `explain`, `shadows`: which
  readonly args: Args
}

export const FIRST: Place = { view: 'attention', id: '', args: {} }

/// Whatever is no place is the first one: an address may be typed.
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = split(hash.replace(/^#\/?/, ''), '?')
  const [name = '', id = ''] = split(path, '/')
  const view = VIEWS.find(each => each === name)
  if (!view) return FIRST
  const args: Record<string, string> = {}
  for (const [key, value] of new URLSearchParams(query)) if (value !== '') args[key] = value
  return { view, id: decoded(id), args }
}

export function hashOf(place: Place): string {
  const given = Object.entries(place.args).filter(([, value]) => value !== '')
  const query = new URLSearchParams(given).toString()
  const id = place.id === '' ? '' : '/' + encodeURIComponent(place.id)
  return `#/${place.view}${id}${query === '' ? '' : '?' + query}`
}

function split(text: string, by: string): [string, string] {
  const at = text.indexOf(by)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
