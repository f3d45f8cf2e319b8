// Light or dark: the system's choice, or the reader's. theme.ts above src/ sets it before the first
// paint; this follows what is chosen later.
import { useEffect, useState } from 'preact/hooks'
import { kept, useCell } from '../cell.ts'

export type Theme = 'system' | 'light' | 'dark'
export const theme = kept<Theme>('leasehold.theme', 'system', ['system', 'light', 'dark'])

theme.watch(() => {
  if (theme.get() === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.get()
})

const DARK = matchMedia('(prefers-color-scheme: dark)')

export function useDark(): boolean {
  const chosen = useCell(theme)
  const [system, set] = useState(DARK.matches)
  useEffect(() => {
    const changed = () => set(DARK.matches)
    DARK.addEventListener('change', changed)
    return () => DARK.removeEventListener('change', changed)
  }, [])
  return chosen === 'system' ? system : chosen === 'dark'
}
