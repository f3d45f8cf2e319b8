// The title of the browser's tab: what is shown, of which broker.
import { useEffect } from 'preact/hooks'
import { useCell } from '../cell.ts'
import { streamState } from '../live/tabs.ts'
import { plain } from '../parts/text.tsx'

export function useTitle(view: string): void {
  const name = useCell(streamState).broker?.name
  useEffect(() => {
    document.title = `${plain(view)} · ${name ? plain(name) + ' · ' : ''}Leasehold`
  }, [view, name])
}
