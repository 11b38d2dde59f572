import { refused, type Refusal } from '../../base/refusal.ts'

/** The most sites that a merchant may have made and not ended. */
export const MOST_THROWAWAY_SITES = 100
export const MOST_DAYS = 30

const ACQUIRER_PREFIX = 'TGSITE'

/** The merchant number at the test bank of an account that belongs to a throwaway site. */
export function throwawayMerchantNumber(accountId: bigint): string {
  return `${ACQUIRER_PREFIX}${accountId}`
}

/** Whether the account belongs to a throwaway site: what disturbs it must disturb no other. */
export function isThrowaway(account: {
  readonly linkId: bigint | null
  readonly acquirerMerchantId: string
}): boolean {
  return account.linkId === null && account.acquirerMerchantId.startsWith(ACQUIRER_PREFIX)
}

/** The facts about the site that a new one is a copy of, and about its merchant. */
export interface ThrowawayOrigin {
  readonly siteId: bigint
  readonly mode: 'test' | 'live'
  readonly merchantIsLive: boolean
  /** The first account at the test bank; null without one. */
  readonly accountId: bigint | null
  readonly open: number
}

/** Why the merchant gets no further site; null where it does. */
export function decideThrowawaySite(origin: ThrowawayOrigin, days: number): Refusal | null {
  const { accountId, merchantIsLive, mode, open, siteId } = origin
  if (mode === 'live' || merchantIsLive) {
    const sentence = 'The merchant has a site in live mode. Only test merchants make sites.'
    return refused('conflict', sentence, { code: 'live_merchant' })
  }
  if (!Number.isInteger(days) || days < 1 || days > MOST_DAYS) {
    const sentence = `days is no whole number from 1 to ${MOST_DAYS}.`
    return refused('invalid', sentence, { field: 'days' })
  }
  if (accountId === null) {
    const sentence = `Site ${siteId} has no account at the test bank. Name a site that has one.`
    return refused('conflict', sentence, { code: 'no_account' })
  }
  if (open < MOST_THROWAWAY_SITES) return null
  return refused(
    'conflict',
    `The merchant has ${open} throwaway sites, and may have ${MOST_THROWAWAY_SITES}. ` +
      'Delete those that are done: DELETE /sandbox/sites/ID.',
    { code: 'too_many_sites' },
  )
}
