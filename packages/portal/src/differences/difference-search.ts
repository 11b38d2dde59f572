import {
  DIFFERENCE_TEXTS,
  type SettlementDifferenceCode,
} from '@tollgate/portal-contract/difference-words'

/** The filters of the list, as its address has them. */
export interface DifferenceSearch {
  readonly state?: 'ended' | 'all'
  readonly code?: SettlementDifferenceCode
  readonly account?: string
  /** An e-mail address; `none` for those without an owner. */
  readonly owner?: string
  /** Bank days. */
  readonly olderThan?: string
  readonly currency?: string
}

/** The valid filters of an address; the others are left out. */
export function searchOf(search: Record<string, unknown>): DifferenceSearch {
  const { account, code, currency, olderThan, owner, state } = search
  return {
    ...(state === 'ended' || state === 'all' ? { state } : {}),
    ...(isCode(code) ? { code } : {}),
    ...(/^[1-9]\d{0,14}$/.test(String(account)) ? { account: String(account) } : {}),
    ...(typeof owner === 'string' && owner !== '' ? { owner: owner.slice(0, 254) } : {}),
    ...(/^\d{1,3}$/.test(String(olderThan)) ? { olderThan: String(olderThan) } : {}),
    ...(/^[A-Z]{3}$/.test(String(currency)) ? { currency: String(currency) } : {}),
  }
}

export function isCode(value: unknown): value is SettlementDifferenceCode {
  return typeof value === 'string' && Object.hasOwn(DIFFERENCE_TEXTS, value)
}
