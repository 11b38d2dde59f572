import type { Currency } from '../currency.ts'
import { formatMinor } from '../money.ts'
import type { PublishedTestValue } from './test-value.ts'

/**
 * The bundled bank's answers to its test values: the tables of docs/test-bank.md, taken from the
 * bank itself.
 */
export interface TestBankTables {
  readonly triggers: readonly {
    readonly amount: string
    /** ISO 4217 code where the row holds in one currency only. */
    readonly currency: string | null
    readonly meaning: string
    readonly responseCode: string
  }[]
  /** `9101.nn`: any cents. */
  readonly faults: readonly { readonly amount: string; readonly meaning: string }[]
  readonly testCards: readonly {
    readonly pan: string
    readonly brand: string
    readonly kind: string
    readonly meaning: string
  }[]
  readonly postalCodes: readonly (readonly [value: string, letter: string])[]
  readonly securityCodes: readonly (readonly [value: string, letter: string])[]
  readonly threeDs: readonly { readonly pan: string; readonly meaning: string }[]
  readonly challengeCodes: readonly (readonly [value: string, result: string])[]
  /** When a trial can be run, in words. */
  readonly runs: Readonly<Record<string, string>>
  /** Every value with its outcome in all tiers. */
  readonly values: readonly PublishedTestValue[]
}

export interface TestPayment {
  readonly amountMinor: bigint
  readonly currency: Currency
  /** First six and last four with anything between, or nothing that is known. */
  readonly maskedNumber: string
  readonly last4: string
}

/**
 * Which published test value decided about a payment at the bundled bank; null where it was none.
 */
export interface TestValueFound {
  readonly kind: 'trigger' | 'fault' | 'card'
  readonly says: string
  readonly approve: string
}

/** In the sequence in which the bank looks: the amount, then a fault amount, then the card. */
export function findTestValue(tables: TestBankTables, payment: TestPayment): TestValueFound | null {
  const { amountMinor, currency } = payment
  const amount = formatMinor(amountMinor, currency)
  // Currencies without two decimals have no such amounts.
  const trigger =
    currency.digits === 2
      ? tables.triggers.find(
          (row) =>
            row.amount === amount && (row.currency === null || row.currency === currency.code),
        )
      : undefined
  if (trigger !== undefined) {
    return {
      kind: 'trigger',
      says: `${amount} ${currency.code} is a trigger amount of the test bank, for every card: ${trigger.meaning}.`,
      approve: 'Pay an amount that is no trigger amount, such as 12.50.',
    }
  }
  const fault =
    currency.digits === 2
      ? tables.faults.find((row) => amount.startsWith(row.amount.replace('nn', '')))
      : undefined
  if (fault !== undefined) {
    return {
      kind: 'fault',
      says: `${amount} ${currency.code} is a fault amount of the test bank (${fault.amount}): ${fault.meaning}.`,
      approve: 'Pay an ordinary amount, such as 12.50.',
    }
  }
  const card = tables.testCards.find(({ pan }) => isOf(pan, payment))
  if (card === undefined) return null
  return {
    kind: 'card',
    says: `The card ${shownNumber(card.pan)} has an account at the test bank, which decides: ${shownMeaning(card.meaning)}.`,
    approve:
      'Pay with another test card, such as 411111 ... 1111, which the test bank always approves.',
  }
}

/** A meaning that names other card numbers, with these cut down too. */
export function shownMeaning(text: string): string {
  return text.replace(/[0-9]{13,19}/g, shownNumber)
}

/** First six and last four. */
export function shownNumber(pan: string): string {
  return `${pan.slice(0, 6)} ... ${pan.slice(-4)}`
}

function isOf(pan: string, { maskedNumber, last4 }: TestPayment): boolean {
  const [front = '', back = ''] = /^([0-9]{6})\*+([0-9]{4})$/.exec(maskedNumber)?.slice(1) ?? []
  if (front !== '') return pan.startsWith(front) && pan.endsWith(back)
  // Only the last digits of a saved card or a token are known. The 9 behind the first six digits
  // marks a test card.
  return last4 !== '' && pan.endsWith(last4) && pan[6] === '9'
}
