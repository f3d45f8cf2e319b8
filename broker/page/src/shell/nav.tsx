// The views, and the key that leads to each after "g".
import { link, usePlace } from '../place/here.ts'
import type { View } from '../place/place.ts'

export const VIEW_NAMES: readonly [View, string, string][] = [
  ['attention', 'Attention', 'a'], ['clusters', 'Clusters', 'c'], ['leases', 'Leases', 'l'],
  ['consumers', 'Consumers', 'o'], ['hosts', 'Hosts', 'h'], ['history', 'History', 'y'],
  ['whatif', 'What if', 'w'], ['compare', 'Two instants', 't']]

export function Nav({ needs }: { needs: number }) {
  const { view } = usePlace()
  const shown = view === 'lease' ? 'leases' : view
  return <nav aria-label="Views">
    <ul>{VIEW_NAMES.map(([each, title]) => <li key={each}>
      <a href={link(each)} aria-current={each === shown ? 'page' : undefined}>{title}
        {each === 'attention' && needs > 0 && <span class="badge">{needs}<span class="unheard"> open</span></span>}
      </a></li>)}</ul>
  </nav>
}
