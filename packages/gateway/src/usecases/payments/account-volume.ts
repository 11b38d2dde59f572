import { LIMIT_SERVICE, limitOfDay } from '../../domain/merchants/account-limits.ts'
import type { PaymentResult } from './payment-command.ts'
import type { Resolved } from './resolve-payment.ts'

/** A part of what an account takes on the day of `at`, in the merchant's time zone. */
export interface VolumePart {
  readonly merchantId: bigint
  readonly accountId: bigint
  readonly currency: string
  readonly amountMinor: bigint
  readonly at: Date
}

/** The volume of each day of accounts that have a limit. */
export interface AccountVolumes {
  /**
   * Adds the part to its day, durably. Of any number of callers, on any node, none exceeds the
   * limit. False if this one would; nothing is written then.
   */
  reserve(part: VolumePart, limitMinor: bigint): Promise<boolean>
  /** Takes a part, or some of it, away from its day. */
  release(part: VolumePart): Promise<void>
}

export interface AccountVolumeDeps {
  /** Asked only for accounts with a limit for a day. */
  readonly volumes: AccountVolumes
}

/**
 * Reserves the amount of a payment, and keeps the part in `attempt`. Accounts without a limit for a
 * day, and unreferenced refunds, take no part.
 *
 * @returns null for a payment that goes on; else the SERVICE code that declines it
 */
export async function reserveVolume(
  { volumes }: AccountVolumeDeps,
  attempt: { volume: VolumePart | null },
  { account, command, currency }: Resolved,
): Promise<number | null> {
  const limit = limitOfDay(account.limits, currency.code)
  if (limit === null || command.kind === 'refund' || command.totalMinor === 0n) return null
  const part = {
    merchantId: account.merchantId,
    accountId: account.id,
    currency: currency.code,
    amountMinor: command.totalMinor,
    at: command.site.clock.now(),
  }
  if (!(await volumes.reserve(part, limit))) return LIMIT_SERVICE.day
  attempt.volume = part
  return null
}

/**
 * Releases what a try has reserved and not used: all of it unless the payment was approved or is
 * not decided yet. If that fails, the part stays reserved: the limit is never exceeded.
 */
export async function settleVolume(
  { volumes }: AccountVolumeDeps,
  attempt: { volume: VolumePart | null },
  ended: PaymentResult | { readonly kind: 'claimed_meanwhile' | 'key_taken' },
): Promise<void> {
  const { volume } = attempt
  if (volume === null) return
  attempt.volume = null
  const unused = volume.amountMinor - usedOf(volume, ended)
  if (unused > 0n) await volumes.release({ ...volume, amountMinor: unused }).catch(() => undefined)
}

function usedOf({ amountMinor }: VolumePart, ended: Parameters<typeof settleVolume>[2]): bigint {
  if (ended.kind !== 'done') return 0n
  const { state, valueMinor } = ended.transaction
  if (state === 'approved') return valueMinor
  return state === 'declined' || state === 'failed' ? 0n : amountMinor
}
