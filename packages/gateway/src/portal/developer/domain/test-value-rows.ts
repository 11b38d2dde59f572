import type { TestValueRow } from '@tollgate/portal-contract/answers/developer'
import { shownMeaning, shownNumber, type TestBankTables } from '../../../domain/banks/test-bank.ts'

type Parameters = Readonly<Record<string, string>>

/** A request that brings a test value about: which address, and what beside the login. */
export interface TestRequest {
  readonly prepares: boolean
  readonly parameters: Parameters
}

/** A card with an account whose address and security code are compared. */
const CHECKED_CARD = '4012889000000012'
const CHECKED_AMEX = '378282900000017'
const PLAIN_CARD = '4111111111111111'
const CARD: Parameters = {
  REQUEST_ACTION: 'CCAUTHCAP',
  PMT_NUMB: PLAIN_CARD,
  PMT_EXPIRY: '122039',
  PMT_KEY: '123',
  LI_VALUE_1: '12.50',
}

interface Entry extends Omit<TestValueRow, 'key' | 'hasRequest'> {
  readonly request: TestRequest | null
}

const sells = (changes: Parameters): TestRequest => ({
  prepares: false,
  parameters: { ...CARD, ...changes },
})
const codeFor = (pan: string): string => (/^3[47]/.test(pan) ? '1234' : '123')

function entriesOf(tables: TestBankTables): readonly Entry[] {
  return [
    ...tables.triggers.map((row): Entry => ({
      kind: 'amount',
      value: `${row.amount}${row.currency === null ? '' : ` ${row.currency}`}`,
      outcome: row.meaning,
      code: row.responseCode,
      request: sells({
        LI_VALUE_1: row.amount,
        ...(row.currency === null ? {} : { REQUEST_CURRENCY: row.currency }),
      }),
    })),
    ...tables.faults.map((row): Entry => ({
      kind: 'fault',
      value: row.amount,
      outcome: row.meaning,
      code: '',
      request: sells({ LI_VALUE_1: row.amount.replace('nn', '00') }),
    })),
    ...tables.testCards.map((row): Entry => ({
      kind: 'card',
      value: shownNumber(row.pan),
      outcome: shownMeaning(row.meaning),
      code: row.kind,
      request: sells({ PMT_NUMB: row.pan, PMT_KEY: codeFor(row.pan) }),
    })),
    ...tables.threeDs.map((row): Entry => ({
      kind: 'three_ds',
      value: shownNumber(row.pan),
      outcome: row.meaning,
      code: '',
      // The request to send first; the payment needs a browser.
      request: { prepares: true, parameters: { PMT_BIN: row.pan.slice(0, 6) } },
    })),
    ...tables.postalCodes.map(([value, result]): Entry => ({
      kind: 'postal_code',
      value,
      outcome: `AVS ${result}`,
      code: result,
      request: sells({
        PMT_NUMB: CHECKED_CARD,
        BILL_ADDR: '123 Main Street',
        BILL_ADDR_ZIP: value,
      }),
    })),
    ...tables.securityCodes.map(([value, result]): Entry => ({
      kind: 'security_code',
      value,
      outcome: `CVV ${result}`,
      code: result,
      request: sells({
        PMT_NUMB: value.length === 4 ? CHECKED_AMEX : CHECKED_CARD,
        PMT_KEY: value,
      }),
    })),
    ...tables.challengeCodes.map(([value, result]): Entry => ({
      kind: 'challenge_code',
      value,
      outcome: `the challenge ends with ${result}`,
      code: result,
      request: null,
    })),
  ]
}

const keyed = (tables: TestBankTables): readonly (Entry & { readonly key: string })[] =>
  entriesOf(tables).map((entry, at) => ({ ...entry, key: `${entry.kind} ${at}` }))

/** Everything that the bundled bank does on purpose, as one list. */
export function testValueRows(tables: TestBankTables): readonly TestValueRow[] {
  return keyed(tables).map(({ request, ...row }) => ({ ...row, hasRequest: request !== null }))
}

/** The request of one row, with its card number whole; null for a row without one. */
export function testRequestOf(tables: TestBankTables, key: string): TestRequest | null {
  return keyed(tables).find((entry) => entry.key === key)?.request ?? null
}
