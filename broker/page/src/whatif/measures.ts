// The names of the numbers of a run, and how they are written. Pure.
import { hoursText } from '../parts/hours.ts'

const WORDS: Record<string, string> = {
  lent_slot_s: 'slots at consumers', lent_used_slot_s: 'of them used', inactive_slot_s: 'slots in transfer',
  idle_while_waited_slot_s: 'idle while the other side waited', unmet_slot_s: 'waited for' }

const isHours = (measure: string) => measure.endsWith('_slot_s')

/// "clusters east unmet_slot_s": of which, then what; slot-seconds are shown in slot-hours.
export function measureText(measure: string): string {
  const at = measure.lastIndexOf(' ')
  const [path, key] = [measure.slice(0, at + 1), measure.slice(at + 1)]
  const word = WORDS[key] ?? key.replace(/_slot_s$/, '').replaceAll('_', ' ')
  const of = path.trim().replace(/^(clusters|leases) /, '')
  return (of === '' ? word : `${of}: ${word}`) + (isHours(measure) ? ', slot-h' : '')
}

const NUMBER = new Intl.NumberFormat('en', { maximumFractionDigits: 2 })

export const valueText = (measure: string, value: number | undefined): string => value === undefined ? '–'
  : isHours(measure) ? hoursText(value) : NUMBER.format(value)

/// Measures of single leases stand apart, as there may be thousands of them.
export const isOfLease = (measure: string): boolean => measure.startsWith('leases ')
