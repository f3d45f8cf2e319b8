// In which zone times are shown: the reader's choice, the same in all tabs.
import { kept } from '../cell.ts'
import type { Zone } from './time.ts'

export const zone = kept<Zone>('leasehold.zone', 'local', ['local', 'utc'])
