// The views, and the key that leads to each after "g".
import { useEffect, useRef } from 'preact/hooks'
import { link, usePlace } from '../place/here.ts'
import type { View } from '../place/place.ts'

export const VIEW_NAMES: readonly [View, string, string][] = [
  ['attention', 'Attention', 'a'], ['clusters', 'Clusters', 'c'], ['leases', 'Leases', 'l'],
  ['consumers', 'Consumers', 'o'], ['hosts', 'Hosts', 'h'], ['history', 'History', 'y'],
  ['usage', 'Usage', 'u'], ['shadows', 'Shadows', 's'],
  ['whatif', 'What if', 'w'], ['compare', 'Two instants', 't']]

/// A path is a consumer's; names of clusters hold no '@'.
const explained = (id: string): View => id.startsWith('/') ? 'consumers' : id.includes('@') ? 'hosts' : 'clusters'

export function Nav({ needs }: { needs: number }) {
  const { view, id } = usePlace()
  const shown = view === 'lease' ? 'leases' : view === 'explain' ? explained(id) : view
  const list = useRef<HTMLUListElement>(null)
  // On a phone not all of them are seen at once.
  useEffect(() => {
    const at = list.current?.querySelector<HTMLElement>('[aria-current]')
    if (at) list.current!.scrollLeft = at.offsetLeft - (list.current!.clientWidth - at.clientWidth) / 2
  }, [shown])
  return <nav aria-label="Views">
    <ul ref={list}>{VIEW_NAMES.map(([each, title]) => <li key={each}>
      <a href={link(each)} aria-current={each === shown ? 'page' : undefined}>{title}
        {each === 'attention' && needs > 0 &&
          <span class="badge">{needs}<span class="visually-hidden"> open</span></span>}
      </a></li>)}</ul>
  </nav>
}
