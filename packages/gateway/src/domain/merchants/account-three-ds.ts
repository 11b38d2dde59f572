import { isDeepStrictEqual } from 'node:util'
import { refused, type Result } from '../../base/refusal.ts'

/** The registration of a merchant with the card networks, for 3-D Secure. */
export interface AccountThreeDs {
  /** At most 35 printable characters. */
  readonly requestorId: string
  /** An https address. */
  readonly requestorUrl: string
}

/** The settings of an account that are switched on and off. */
export interface AccountFeatures {
  /** Null: it takes no part in 3-D Secure. */
  readonly threeDs: AccountThreeDs | null
  readonly unreferencedCredits: boolean
}

/** Refuses a registration that the account has already. */
export function decideThreeDs(
  id: bigint,
  before: AccountThreeDs | null,
  wanted: AccountThreeDs | null,
): Result {
  return isDeepStrictEqual(before, wanted)
    ? refused('conflict', `Account ${id} has this setting of 3-D Secure already.`)
    : { ok: true }
}

/** Whether a change ends authentications of today: it takes a registration away, or alters it. */
export function endsThreeDs(before: AccountThreeDs | null, after: AccountThreeDs | null): boolean {
  return before !== null && !isDeepStrictEqual(before, after)
}

/** Refuses a setting of unreferenced credits that the account has already. */
export function decideUnreferencedCredits(id: bigint, before: boolean, allowed: boolean): Result {
  if (before !== allowed) return { ok: true }
  const state = allowed ? 'takes' : 'refuses'
  return refused('conflict', `Account ${id} ${state} unreferenced credits already.`)
}

/** A registration as text, for requests and the audit log. */
export function threeDsText(threeDs: AccountThreeDs | null): string {
  return threeDs === null ? 'off' : `${threeDs.requestorId} at ${threeDs.requestorUrl}`
}
