import { OBJECTIONS } from '../acquirer/stored-credential.ts'
import { UPDATER_RESULTS } from '../issuer/account-updater.ts'
import type { CardBrand } from '../issuer/card-brands.ts'
import { SPECIAL_POSTAL_CODES, SPECIAL_SECURITY_CODES } from '../issuer/verification.ts'
import { FAULT_CARDS, KNOWN_CARDS, OLD_CARDS } from '../three-ds/cards.ts'
import type { SchemeCard } from '../three-ds/cards.ts'
import { CODES } from '../three-ds/challenge-store.ts'
import { FAULTS, FAULT_HABITS, HABITS } from '../three-ds/habits.ts'
import { DISPUTE_AMOUNTS } from './dispute-amounts.ts'
import type { DisputeAmount } from './dispute-amounts.ts'
import { ANSWERED_STAGES, DISPUTE_DEADLINES } from './dispute-deadlines.ts'
import { FAULT_AMOUNTS } from './fault-amounts.ts'
import { PUBLISHED_CAVVS } from './published-cavvs.ts'

/** The brands as documents name them. */
export const BRAND_NAMES: Readonly<Record<CardBrand, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  maestro: 'Maestro',
  mastercard: 'Mastercard',
  mir: 'Mir',
  unionpay: 'UnionPay',
  visa: 'Visa',
}

/**
 * Tables of docs/test-bank.md by the names of their marks: those that need nothing of the gateway.
 */
export const DOC_TABLES: Readonly<Record<string, () => string>> = {
  'fault-amounts': () =>
    table(
      ['Amount', 'What the bank does'],
      FAULT_AMOUNTS.map(({ amount, meaning }) => [amount, meaning]),
    ),
  'dispute-amounts': () =>
    table(['Amount', 'What the bank raises', 'Visa', 'Other'], DISPUTE_AMOUNTS.map(disputeRow)),
  'dispute-deadlines': () =>
    table(
      ['From', 'Brand', ...ANSWERED_STAGES.map((stage) => `\`${stage}\``)],
      DISPUTE_DEADLINES.flatMap(({ brands, from }) =>
        Object.entries(brands).map(([brand, days]) => [
          from,
          brand,
          ...ANSWERED_STAGES.map((stage) => String(days[stage])),
        ]),
      ),
    ),
  'published-cavvs': () =>
    table(
      ['CAVV', 'What the test bank does'],
      PUBLISHED_CAVVS.map(({ cavv, meaning }) => [`\`${cavv}\``, meaning]),
    ),
  updater: () =>
    table(
      ['Result', 'Meaning'],
      Object.entries(UPDATER_RESULTS).map(([result, meaning]) => [`\`${result}\``, meaning]),
    ),
  objections: () =>
    table(
      ['Word', 'The payment is'],
      Object.entries(OBJECTIONS).map(([word, meaning]) => [`\`${word}\``, meaning]),
    ),
  'postal-codes': () => table(['Postal code', 'AVS'], [...SPECIAL_POSTAL_CODES].map(pairRow)),
  'three-ds-cards': () =>
    table(
      ['What happens', ...BRAND_COLUMNS.map(([, name]) => name)],
      [
        ...Object.entries(HABITS)
          .filter(([habit]) => KNOWN_CARDS.some((card) => card.habit === habit))
          .map(([habit, meaning]) => cardRow(meaning, habit, KNOWN_CARDS)),
        cardRow('speaks 2.1.0 only: `Y`', 'success', OLD_CARDS),
        cardRow('speaks 2.1.0 only: challenge', 'challenge', OLD_CARDS),
      ],
    ),
  'three-ds-faults': () =>
    table(
      ['Fault', 'What happens', 'Visa', 'Mastercard', 'American Express'],
      FAULT_HABITS.map((habit) => [
        `\`${habit}\``,
        FAULTS[habit],
        ...(['visa', 'mastercard', 'amex'] as const).map((brand) =>
          cellOf(FAULT_CARDS, habit, brand),
        ),
      ]),
    ),
  'three-ds-codes': () =>
    table(
      ['Code', 'Result'],
      Object.entries(CODES).map(([code, status]) => [code, `\`${status}\``]),
    ),
  'security-codes': () => table(['Security code', 'CVV'], [...SPECIAL_SECURITY_CODES].map(pairRow)),
}

const BRAND_COLUMNS = [
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['discover', 'Discover'],
  ['jcb', 'JCB'],
  ['diners', 'Diners Club'],
  ['unionpay', 'UnionPay'],
  ['maestro', 'Maestro'],
] as const

function cardRow(meaning: string, habit: string, cards: readonly SchemeCard[]): readonly string[] {
  return [meaning, ...BRAND_COLUMNS.map(([brand]) => cellOf(cards, habit, brand))]
}

function cellOf(cards: readonly SchemeCard[], habit: string, brand: SchemeCard['brand']): string {
  return cards.find((card) => card.habit === habit && card.brand === brand)?.pan ?? ''
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

function disputeRow({ amount, meaning, raises }: DisputeAmount): readonly string[] {
  const [{ reasons } = { reasons: { visa: '', other: '' } }] = raises
  return [amount, meaning, `\`${reasons.visa}\``, `\`${reasons.other}\``]
}

function pairRow([value, result]: readonly [string, string]): readonly string[] {
  return [value, result]
}
