import { holdsCardNumber } from '../../base/card-number-text.ts'
import { refused, type Result } from '../../base/refusal.ts'
import { unpricedCurrencies, type PlansInForce } from '../fees/plan-change.ts'
import { strandedDefaults, type CurrencyFacts } from './account-details.ts'

type Mode = 'test' | 'live'

/** The bank and owner that a description names for an account. */
export interface AccountClaim {
  readonly id: number
  readonly merchantId: number
  readonly mode: Mode
  /** Name of the processor link; null for the bundled bank. */
  readonly link: string | null
  /** Null takes the institution id of the link. */
  readonly acquirerId: string | null
  readonly acquirerMerchantId: string
  readonly currencies: readonly string[]
  readonly standsFor: number | null
  readonly sites: readonly number[]
}

/** The processor link of the claimed name. */
export interface AccountLink {
  readonly id: bigint
  readonly mode: Mode
  readonly institutionId: string
}

/** The stored facts of an account. They never change, except the currencies. */
export interface StoredAccount {
  readonly merchantId: bigint
  readonly mode: Mode
  /** Null for the bundled bank. */
  readonly linkId: bigint | null
  readonly acquirerId: string
  readonly acquirerMerchantId: string
  readonly currencies: readonly string[]
}

/** The stored facts of the claimed merchant, sites and test account. */
export interface AccountOwner extends Pick<CurrencyFacts, 'defaultCurrencies'> {
  /** Whether the merchant exists. */
  readonly exists: boolean
  /** Those of the claimed sites that are the merchant's. */
  readonly sites: readonly bigint[]
  /** Whether the account to stand for is a test account of the merchant. */
  readonly hasTestAccount: boolean
  /** Another account that stands for the same test account already. */
  readonly standIn: bigint | null
}

/** The state that a description is compared with; null for what does not exist. */
export interface AccountPlace {
  readonly link: AccountLink | null
  readonly before: StoredAccount | null
  readonly owner: AccountOwner
  /** Null where the merchant does not exist. */
  readonly plans: PlansInForce | null
}

/** The bank of an account to write, or one fault for each claim that is wrong. */
export function decideAccount(
  account: AccountClaim,
  { link, before, owner, plans }: AccountPlace,
): Result<{ readonly linkId: bigint | null; readonly acquirerId: string }> {
  const linkId = link?.id ?? null
  const acquirerId = account.acquirerId ?? link?.institutionId ?? ''
  const faults = [
    ...linkFaults(account, link),
    ...fixedFaults(account, { linkId, acquirerId }, before),
    ...ownerFaults(account, owner),
    ...strandedDefaults(owner, before?.currencies ?? [], account.currencies),
    ...priceFaults(account, before, plans),
  ]
  return faults.length > 0 ? refused('invalid', faults) : { ok: true, linkId, acquirerId }
}

function linkFaults({ link: name, mode }: AccountClaim, link: AccountLink | null): string[] {
  if (name === null) return []
  if (link === null) {
    return [
      `link is "${name}", but there is none of that name; "tollgate links" lists those there are.`,
    ]
  }
  return link.mode === mode
    ? []
    : [`link is "${name}", a ${link.mode} link; a ${mode} account needs a ${mode} one.`]
}

/** The bank's identifier of an account never changes: its orders must be found again there. */
function fixedFaults(
  account: AccountClaim,
  bank: Pick<StoredAccount, 'linkId' | 'acquirerId'>,
  before: StoredAccount | null,
): string[] {
  if (before === null) return []
  const compared = [
    ['merchantId', BigInt(account.merchantId), before.merchantId],
    ['mode', account.mode, before.mode],
    ['link', bank.linkId, before.linkId],
    ['acquirerId', bank.acquirerId, before.acquirerId],
    ['acquirerMerchantId', account.acquirerMerchantId, before.acquirerMerchantId],
  ] as const
  return compared
    .filter(([, wanted, is]) => wanted !== is)
    .map(
      ([name]) =>
        `${name} differs from what account ${account.id} has, and an account stays with its ` +
        'bank: describe another account under another id.',
    )
}

/** Judges new currencies only: one that the account takes already stays. */
function priceFaults(
  { currencies }: AccountClaim,
  before: StoredAccount | null,
  plans: PlansInForce | null,
): readonly string[] {
  if (plans === null) return []
  const added = currencies.filter((code) => before?.currencies.includes(code) !== true)
  return unpricedCurrencies(plans, added)
}

function ownerFaults({ merchantId, sites, standsFor }: AccountClaim, owner: AccountOwner) {
  if (!owner.exists) return [`merchantId is ${merchantId}, but there is no such merchant.`]
  const faults = sites
    .filter((site) => !owner.sites.includes(BigInt(site)))
    .map((site) => `sites names ${site}, which is no site of merchant ${merchantId}.`)
  if (standsFor !== null && !owner.hasTestAccount) {
    faults.push(`standsFor is ${standsFor}, which is no test account of merchant ${merchantId}.`)
  }
  if (standsFor !== null && owner.standIn !== null) {
    faults.push(`standsFor is ${standsFor}, but account ${owner.standIn} stands for that already.`)
  }
  return faults
}

/** Why an account cannot have this name of its processor, a sentence; null where it can. */
export function processorNameFault(name: string): string | null {
  if (!/^[!-~](?:[ -~]{0,58}[!-~])?$/.test(name)) {
    return 'The name must have 1 to 60 printable ASCII characters, without a blank at either end.'
  }
  return holdsCardNumber(name, 'digits')
    ? 'It has 12 digits in a row, which could be a card number. Take digits out.'
    : null
}
