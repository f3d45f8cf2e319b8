// Instants as the reader wants them: in his own zone or in UTC. Pure, but for the machine's zone.
export type Zone = 'local' | 'utc'

const two = (n: number): string => String(n).padStart(2, '0')

interface Parts { year: number; month: number; day: number; hour: number; minute: number; second: number }

function partsOf(date: Date, where: Zone): Parts {
  return where === 'utc'
    ? { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate(),
        hour: date.getUTCHours(), minute: date.getUTCMinutes(), second: date.getUTCSeconds() }
    : { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate(),
        hour: date.getHours(), minute: date.getMinutes(), second: date.getSeconds() }
}

export function dayText(date: Date, where: Zone): string {
  const { year, month, day } = partsOf(date, where)
  return `${year}-${two(month)}-${two(day)}`
}

export function clockText(date: Date, where: Zone): string {
  const { hour, minute, second } = partsOf(date, where)
  return `${two(hour)}:${two(minute)}:${two(second)}`
}

/// "2026-11-21 15:00:02"; of today, where `today` is given, "15:00:02".
export function instantText(date: Date, where: Zone, today?: Date): string {
  const day = dayText(date, where)
  const clock = clockText(date, where)
  return today && dayText(today, where) === day ? clock : `${day} ${clock}`
}

/// "UTC", "UTC+1", "UTC-3:30".
export function zoneText(date: Date, where: Zone): string {
  const minutes = where === 'utc' ? 0 : -date.getTimezoneOffset()
  if (minutes === 0) return 'UTC'
  const rest = Math.abs(minutes) % 60
  const hours = Math.floor(Math.abs(minutes) / 60)
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : ':' + two(rest)}`
}

/// For <input type="datetime-local">, and back.
export const inputText = (date: Date, where: Zone): string =>
  `${dayText(date, where)}T${clockText(date, where)}`

export function inputInstant(text: string, where: Zone): Date | null {
  const date = new Date(where === 'utc' ? text + 'Z' : text)
  return Number.isNaN(date.getTime()) ? null : date
}

/// "12 s", "3 min", "5 h 20 min", "3 d 4 h": two units are enough.
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  const days = Math.floor(hours / 24)
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`
}

/// "in 3 min"; what is not after it is now.
export const inText = (ms: number): string => ms <= 0 ? 'now' : `in ${spanText(ms)}`

/// The form of an instant that may stand in the address: ISO 8601 with a zone.
export const isoText = (date: Date): string => date.toISOString()
