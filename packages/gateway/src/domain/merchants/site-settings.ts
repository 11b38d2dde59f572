import { holdsCardNumber } from '../../base/card-number-text.ts'
import { findCurrency } from '../currency.ts'
import { retryDaysFault } from '../memberships/retry-plan.ts'
import { AVS_CODES, CVV_CODES, type CheckMode } from '../payments/verification.ts'

/**
 * The settings that one portal user may change alone; the mode, which takes two, is not among them.
 */
export interface SiteSettings {
  readonly name: string
  /** The currency of a request that names none. */
  readonly defaultCurrency: string
  readonly tolerance: 'strict' | 'wide'
  /** The product of a line that names none. */
  readonly defaultProduct: string
  readonly cvvRequired: boolean
  readonly avsMode: CheckMode
  readonly cvvMode: CheckMode
  /** Results that are taken for a match. */
  readonly avsMatchSet: string
  readonly cvvMatchSet: string
  /** Days after its first failure on which a renewal is tried again; null for the usual ones. */
  readonly renewalRetryDays: readonly number[] | null
}

export type SiteSettingName = keyof SiteSettings

/** The fault of one setting, as a sentence for the portal user. */
export interface SettingFault {
  readonly field: SiteSettingName
  readonly fault: string
}

/** Faults that show without the site's data. */
export function settingFaults(changes: Partial<SiteSettings>): SettingFault[] {
  const faults: SettingFault[] = []
  const check = <Name extends SiteSettingName>(
    field: Name,
    faultOf: (value: NonNullable<SiteSettings[Name]>) => string | null,
  ): void => {
    const value = changes[field]
    const fault = value === undefined || value === null ? null : faultOf(value)
    if (fault !== null) faults.push({ field, fault })
  }
  check('name', nameFault)
  check('defaultCurrency', (code) =>
    findCurrency(code)?.code === code
      ? null
      : `${code} is no currency; expected a code of three letters such as EUR.`,
  )
  check('defaultProduct', (id) =>
    /^[!-~](?:[ -~]{0,62}[!-~])?$/.test(id)
      ? cardFault(id)
      : 'The default product must have 1 to 64 letters, digits and signs of ASCII.',
  )
  check('avsMatchSet', (set) => matchSetFault(set, AVS_CODES, 'AVS'))
  check('cvvMatchSet', (set) => matchSetFault(set, CVV_CODES, 'CVV'))
  check('renewalRetryDays', retryDaysFault)
  return faults
}

/** Why a site or a merchant cannot have this name, a sentence; null where it can. */
export function nameFault(name: string): string | null {
  return name.trim() === name && name !== '' && name.length <= 100 && /^[\P{C}]*$/u.test(name)
    ? cardFault(name)
    : 'The name must have 1 to 100 characters, without a blank at either end.'
}

/** The highest id that an operator chooses: detectors take 12 digits in a row for a card number. */
export const MOST_ID = 99_999_999_999n

/** A missing thing by its id in a sentence. More digits are not repeated: they may be a card's. */
export function namedById(what: 'Account' | 'Merchant' | 'Site', id: bigint | number): string {
  return BigInt(id) <= MOST_ID ? `${what} ${id}` : `This ${what.toLowerCase()}`
}

/** Why an operator cannot choose this id for a merchant or a site; null where they can. */
export function idFault(id: bigint): string | null {
  return id > 0n && id <= MOST_ID
    ? null
    : `The id is ${id}; expected 1 to 11 digits, because more could be a card number.`
}

function cardFault(text: string): string | null {
  return holdsCardNumber(text, 'digits')
    ? 'It has 12 digits in a row, which could be a card number. Take digits out.'
    : null
}

function matchSetFault(
  set: string,
  known: Readonly<Record<string, string>>,
  what: string,
): string | null {
  const results = [...set]
  const strange = results.find((result) => known[result] === undefined)
  if (strange !== undefined) return `${strange} is no ${what} result.`
  const twice = results.find((result, at) => results.indexOf(result) !== at)
  return twice === undefined ? null : `The result ${twice} is listed twice.`
}
