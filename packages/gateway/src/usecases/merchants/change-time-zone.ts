import type { Result } from '../../base/refusal.ts'
import { decideTimeZone } from '../../domain/merchants/time-zone-change.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'

/** The lock, reads and writes of one change of a merchant's time zone. */
export interface TimeZoneTx extends AuditedTx {
  /** Holds the merchant until the commit and gives its time zone. */
  lockTimeZone(merchantId: bigint): Promise<string>
  /** Whether the database knows a zone by exactly this name. */
  knowsTimeZone(name: string): Promise<boolean>
  setTimeZone(merchantId: bigint, name: string): Promise<void>
}

/** A change from the zone that the portal user saw to another one, both as IANA names. */
export interface TimeZoneChange {
  readonly timeZone: string
  readonly seen: string
}

/**
 * Changes the zone in which the portal counts days and shows times. Refused if it was changed
 * meanwhile, or if the gateway or the database does not know it. The audit log has both zones.
 */
export type ChangeTimeZone = (
  merchantId: bigint,
  change: TimeZoneChange,
  by: AuditAuthor,
) => Promise<Result>

/** `isTimeZone`: whether the gateway can reckon in a zone of this name. */
export function createChangeTimeZone(
  transact: Transact<TimeZoneTx>,
  isTimeZone: (name: string) => boolean,
): ChangeTimeZone {
  return (merchantId, { timeZone, seen }, by) =>
    transact(async (tx) => {
      const before = await tx.lockTimeZone(merchantId)
      const isKnown = isTimeZone(timeZone) && (await tx.knowsTimeZone(timeZone))
      const decided = decideTimeZone({ before, seen, wanted: timeZone, isKnown })
      if (!decided.ok || !decided.changed) return decided
      await tx.setTimeZone(merchantId, timeZone)
      await tx.audit([
        {
          ...by,
          operation: 'merchant.time_zone_set',
          object: `merchant ${merchantId}`,
          merchantId,
          result: 'done',
          details: { before, after: timeZone },
        },
      ])
      return { ok: true }
    })
}
