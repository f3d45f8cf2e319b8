// Slot-seconds, which answers count, as slot-hours, which people do. Pure.
const HOURS = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

export function hoursText(slot_s: number): string {
  const hours = slot_s / 3600
  return hours === 0 ? '0' : hours > 0 && hours < 0.05 ? '<0.1' : HOURS.format(hours)
}
