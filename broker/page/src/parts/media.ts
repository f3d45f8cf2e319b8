// Widths of the page at which it is laid out otherwise; the same numbers stand in style/*.css.
import { useEffect, useState } from 'preact/hooks'

const NARROW = matchMedia('(max-width: 719px)')

export function useNarrow(): boolean {
  const [narrow, set] = useState(NARROW.matches)
  useEffect(() => {
    const changed = () => set(NARROW.matches)
    NARROW.addEventListener('change', changed)
    return () => NARROW.removeEventListener('change', changed)
  }, [])
  return narrow
}
