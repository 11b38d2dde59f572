import { CARD_BRANDS } from '@tollgate/portal-contract/card-brands'
import {
  DISPUTE_GROUP_TEXTS,
  DISPUTE_STATE_TEXTS,
  type DisputeGroup,
  type DisputeState,
} from '@tollgate/portal-contract/dispute-words'

/** The filters of the list, as its address has them. */
export interface DisputeSearch {
  readonly group?: DisputeGroup
  readonly state?: DisputeState
  /** As cases have it: `visa`. */
  readonly brand?: string
  readonly account?: string
  readonly currency?: string
  /** `2026-11`: the month in which monitoring programmes count the case. */
  readonly month?: string
  /** The first day of answer first; the newest case first without it. */
  readonly sort?: 'due'
}

/** Brands by the name that cases give them. */
export const BRAND_OPTIONS = CARD_BRANDS.map((label) => ({
  value: label.toLowerCase().replaceAll(/[^a-z]/g, ''),
  label,
}))

/** The valid filters of an address; the others are left out. */
export function searchOf(search: Record<string, unknown>): DisputeSearch {
  const { account, brand, currency, group, month, sort, state } = search
  return {
    ...(isGroup(group) ? { group } : {}),
    ...(isState(state) ? { state } : {}),
    ...(BRAND_OPTIONS.some(({ value }) => value === brand) ? { brand: String(brand) } : {}),
    ...(/^[1-9]\d{0,14}$/.test(String(account)) ? { account: String(account) } : {}),
    ...(/^[A-Z]{3}$/.test(String(currency)) ? { currency: String(currency) } : {}),
    ...(/^20\d\d-(0[1-9]|1[0-2])$/.test(String(month)) ? { month: String(month) } : {}),
    ...(sort === 'due' ? { sort } : {}),
  }
}

export function isGroup(value: unknown): value is DisputeGroup {
  return typeof value === 'string' && Object.hasOwn(DISPUTE_GROUP_TEXTS, value)
}

export function isState(value: unknown): value is DisputeState {
  return typeof value === 'string' && Object.hasOwn(DISPUTE_STATE_TEXTS, value)
}
