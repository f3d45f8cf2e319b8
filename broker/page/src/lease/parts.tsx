// The tables under a lease's timeline show its hosts and its transfers.
import type { LeaseDetail } from '../model.ts'
import { Bar } from '../parts/bar.tsx'
import { Status } from '../parts/status.tsx'
import { count, Hint, Name, Token } from '../parts/text.tsx'
import { Age, Instant } from '../parts/time.tsx'

export function LeaseHosts({ lease }: { lease: LeaseDetail }) {
  return <section aria-labelledby="lease-hosts">
    <h2 id="lease-hosts">Hosts</h2>
    <table class="small-table" aria-labelledby="lease-hosts">
      <thead><tr><th scope="col">Host</th><th scope="col">State</th>
        <th scope="col" class="number"><Name of={lease.provider} /></th><th scope="col">Slots</th>
        <th scope="col" class="number"><Name of={lease.consumer} /></th></tr></thead>
      <tbody>{lease.hosts.map(host => <tr key={host.host}>
        <th scope="row"><Name of={host.host} /></th><td><Status of={host.state} /></td>
        <td class="number">{host.provider_used}/{host.provider_slots}</td>
        <td><Bar of={host.exported} parts={[
          { slots: host.provider_used, kind: 'p-used', says: 'used by the provider' },
          { slots: Math.max(0, host.provider_slots - host.provider_used), kind: 'p-idle', says: 'idle there' },
          { slots: host.unallocated, kind: 'down', says: 'unallocated' },
          { slots: host.in_transfer, kind: 'moving', says: 'in transfer' },
          { slots: Math.max(0, host.consumer_slots - host.consumer_used), kind: 'c-idle',
            says: 'idle at the consumer' },
          { slots: host.consumer_used, kind: 'c-used', says: 'used by it' }]} /></td>
        <td class="number">{host.consumer_used}/{host.consumer_slots}</td>
      </tr>)}</tbody>
    </table>
  </section>
}

export function Transfers({ lease }: { lease: LeaseDetail }) {
  return <section aria-labelledby="transfers">
    <h2 id="transfers">Transfers under way</h2>
    {lease.transfers.length === 0 ? <Hint>None.</Hint> :
      <table class="small-table" aria-labelledby="transfers">
        <thead><tr><th scope="col" class="number">Slots</th><th scope="col">From</th><th scope="col">To</th>
          <th scope="col">Step</th><th scope="col">Since</th><th scope="col">Until</th>
          <th scope="col">Reason</th></tr></thead>
        <tbody>{lease.transfers.map(each => <tr key={each.id}>
          <td class="number">{count(each.slots)}</td><td><Name of={each.from} /></td><td><Name of={each.to} /></td>
          <td>{each.lowering}, {each.step}</td><td><Age of={each.since} /></td>
          <td><Instant of={each.deadline} /></td><td><Token of={each.reason} /></td></tr>)}</tbody>
      </table>}
  </section>
}
