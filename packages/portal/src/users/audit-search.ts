import { dayAfter, startOfDay } from '@tollgate/kernel/time-zone'
import { isDay } from '@tollgate/portal-contract/search-days'
import { shownZone } from '../parts/shown-zone.ts'

/** The filters of the list, as in the address. */
export interface AuditSearch {
  readonly actor?: string
  readonly operation?: string
  readonly object?: string
  readonly result?: string
  /** Days of the merchant's time zone, both included. */
  readonly since?: string
  readonly until?: string
}

/** Of what the address can hold. */
export const AUDIT_NAMES = ['actor', 'operation', 'object', 'result', 'since', 'until'] as const

export function readAuditSearch(search: Record<string, unknown>): AuditSearch {
  return Object.fromEntries(
    AUDIT_NAMES.map((name) => [name, search[name]] as const).filter(
      ([, value]) => typeof value === 'string' && value !== '',
    ),
  )
}

/**
 * The same as the gateway takes it: a day is from its first moment to the first of the next one.
 */
export function auditQuery({ since, until, ...rest }: AuditSearch): AuditSearch {
  return { ...rest, since: startOf(since, 0), until: startOf(until, 1) }
}

function startOf(day: string | undefined, later: number): string | undefined {
  if (day === undefined || !isDay(day)) return undefined
  return startOfDay(shownZone(), dayAfter(day, later)).toISOString()
}
