import { OBJECTIONS } from '../acquirer/stored-credential.ts'
import { UPDATER_RESULTS } from '../issuer/account-updater.ts'
import { findBrand } from '../issuer/card-brands.ts'
import { SPECIAL_POSTAL_CODES, SPECIAL_SECURITY_CODES } from '../issuer/verification.ts'
import { FAULT_CARDS, KNOWN_CARDS, OLD_CARDS } from '../three-ds/cards.ts'
import { CODES } from '../three-ds/challenge-store.ts'
import { FAULTS, HABITS } from '../three-ds/habits.ts'
import { CODE_AMOUNTS } from './code-amounts.ts'
import { DISPUTE_AMOUNTS } from './dispute-amounts.ts'
import { FAULT_AMOUNTS } from './fault-amounts.ts'
import { TEST_CARDS } from './test-cards.ts'
import { TRIAL_RUNS } from './trial.ts'
import { TRIGGER_AMOUNTS } from './trigger-amounts.ts'
import { TEST_VALUES } from './value-list.ts'

const MEANINGS: Readonly<Record<string, string>> = { ...HABITS, ...FAULTS }

/**
 * The tables of docs/test-bank.md for programs, out of what decides. Card numbers are published
 * ones.
 */
export function testValues(): object {
  return {
    triggers: [
      ...TRIGGER_AMOUNTS.map(({ amount, currency, meaning, responseCode }) => ({
        amount,
        currency: currency === '978' ? 'EUR' : null,
        meaning,
        responseCode,
      })),
      { ...CODE_AMOUNTS, currency: null },
    ],
    faults: FAULT_AMOUNTS.map(({ amount, meaning }) => ({ amount, meaning: plain(meaning) })),
    disputes: DISPUTE_AMOUNTS.map(({ amount, meaning }) => ({ amount, meaning })),
    testCards: TEST_CARDS.map(({ pan, meaning, product }) => ({
      pan,
      brand: findBrand(pan) ?? '',
      kind: product.prepaid ? 'prepaid' : product.detail.toLowerCase(),
      meaning,
    })),
    postalCodes: [...SPECIAL_POSTAL_CODES],
    securityCodes: [...SPECIAL_SECURITY_CODES],
    threeDs: [
      ...[...KNOWN_CARDS, ...FAULT_CARDS].map(({ pan, habit }) => ({
        pan,
        meaning: plain(MEANINGS[habit] ?? habit),
      })),
      ...OLD_CARDS.map(({ pan, habit }) => ({
        pan,
        meaning: `speaks 2.1.0 only: ${plain(MEANINGS[habit] ?? habit)}`,
      })),
    ],
    challengeCodes: Object.entries(CODES),
    updater: Object.entries(UPDATER_RESULTS),
    objections: Object.entries(OBJECTIONS),
    runs: TRIAL_RUNS,
    values: TEST_VALUES,
  }
}

/** Without the marks of a document. */
function plain(text: string): string {
  return text.replaceAll('`', '')
}
