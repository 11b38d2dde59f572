/** The filters of the list, as in the address. */
export interface AuditSearch {
  readonly actor?: string
  readonly operation?: string
  readonly object?: string
  readonly result?: string
  /** Days of the browser's calendar, both included. */
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
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? []
  if (date === undefined) return undefined
  return new Date(Number(year), Number(month) - 1, Number(date) + later).toISOString()
}
