import { declinedByDemands, hasDemands } from '../../domain/merchants/account-demands.ts'
import { declinedByLimits } from '../../domain/merchants/account-limits.ts'
import { isExpired } from '../../domain/payments/card.ts'
import { THREE_DS_SERVICE } from '../../domain/three-ds/enrolment-decision.ts'
import type { VelocityRules, Screening } from '../card-testing/velocity-rules.ts'
import type { ThreeDsDeps } from '../three-ds/three-ds-deps.ts'
import { reserveVolume, type AccountVolumeDeps, type VolumePart } from './account-volume.ts'
import type { Resolved } from './resolve-payment.ts'
import { statedFields } from './stated-fields.ts'

export interface DeclineDeps extends AccountVolumeDeps {
  /** Asked for sites that have it switched on. */
  readonly cardTesting: VelocityRules
  /** Asked only for payments that say something of 3-D Secure. */
  readonly threeDs: ThreeDsDeps
}

/** SERVICE codes of what needs no bank to be refused. */
const SERVICE = {
  invalidAmount: 565,
  expiredCard: 624,
  luhnFailed: 675,
  membershipOver: 697,
} as const

/**
 * The SERVICE code of what the gateway declines by itself; null where the bank is to decide. Keeps
 * in `attempt` what the rules against card testing said: a payment is counted once, however often
 * it is tried. Its part of the account's day is there too, and is released after a try without
 * approval.
 */
export async function declineWithoutBank(
  deps: DeclineDeps,
  attempt: { screening: Screening | null; volume: VolumePart | null },
  payment: Resolved,
): Promise<number | null> {
  const { site } = payment.command
  const declined = declineBeforeBank(payment, site.clock.now()) ?? declineSkipped(deps, payment)
  if (declined !== null) return declined
  if (site.cardTesting !== null) {
    attempt.screening ??= await deps.cardTesting.screen(payment, site.cardTesting)
  }
  const screened = attempt.screening?.refusedWith ?? declineByAccount(payment)
  return screened ?? reserveVolume(deps, attempt, payment)
}

/** The demands of the account's acquirer, then the operator's limits. */
function declineByAccount(payment: Resolved): number | null {
  const { account, command, currency, pan } = payment
  const isNewCard = command.card.kind !== 'saved' && !command.card.onFileElsewhere
  const demanded = hasDemands(account.demands)
    ? declinedByDemands(account.demands, {
        brand: pan.brand,
        stated: statedFields(payment),
        asksForFields: isNewCard && command.kind !== 'refund',
      })
    : null
  if (demanded !== null) return demanded
  return declinedByLimits(account.limits, {
    currency: currency.code,
    amountMinor: command.totalMinor,
    country: command.billing.country.toUpperCase(),
    asksForCountry: isNewCard,
  })
}

function declineBeforeBank(payment: Resolved, now: Date): number | null {
  if (payment.command.totalMinor === 0n && payment.command.kind !== 'authorization')
    return SERVICE.invalidAmount
  if (!payment.pan.isLuhnValid) return SERVICE.luhnFailed
  const { renewal } = payment.command
  // Of a card that is due, the account updater may have another expiry.
  if (renewal !== undefined) return renewal.isOver ? SERVICE.membershipOver : null
  if (payment.expiry === null) return null
  if (isExpired(payment.expiry, now)) return SERVICE.expiredCard
  return null
}

/** Without the browser's data there is no authentication, by contract; a site may insist on one. */
function declineSkipped({ threeDs }: DeclineDeps, { command }: Resolved): number | null {
  if (command.threeDs?.kind !== 'skipped') return null
  threeDs.notice({ kind: 'skipped', siteId: command.site.id, missing: command.threeDs.missing })
  return command.site.threeDs.required ? THREE_DS_SERVICE.authenticationNeeded : null
}
