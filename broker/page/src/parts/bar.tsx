// Bars of slots: who has how many, and what runs on them. Used is full, idle is empty, on their way is
// hatched: they differ without colour. The numbers stand beside the bar or in its label.
import type { Lease } from '../model.ts'

/// `amount`: what is said of how many, where it is no number of slots.
export interface Part { slots: number; kind: string; says: string; amount?: string }

export function Bar({ parts, of, mark }: { parts: readonly Part[]; of: number; mark?: number }) {
  const shown = parts.filter(each => each.slots > 0)
  const label = shown.map(each => `${each.amount ?? each.slots} ${each.says}`).join(', ') || 'no slots'
  const all = Math.max(of, 1)
  return <span class="bar" role="img" aria-label={label} title={label}>
    {shown.map(each =>
      <i class={each.kind} style={{ width: `${each.slots * 100 / all}%` }} />)}
    {mark !== undefined && <b style={{ left: `${Math.min(100, mark * 100 / all)}%` }} />}
  </span>
}

/// Provider from the left, consumer from the right, what moves between them.
export function LeaseBar({ lease }: { lease: Lease }) {
  const { provider_slots: provider, consumer_slots: consumer } = lease
  const down = lease.slots_down.provider + lease.slots_down.consumer
  const parts: Part[] = [
    { slots: provider.used, kind: 'p-used', says: `used by ${lease.provider}` },
    { slots: provider.idle, kind: 'p-idle', says: `idle at ${lease.provider}` },
    { slots: down, kind: 'down', says: 'on hosts that are down' },
    { slots: lease.in_transfer, kind: 'moving', says: 'in transfer' },
    { slots: consumer.idle, kind: 'c-idle', says: `idle at ${lease.consumer}` },
    { slots: consumer.used, kind: 'c-used', says: `used by ${lease.consumer}` }
  ]
  return <Bar parts={parts} of={lease.slots} />
}
