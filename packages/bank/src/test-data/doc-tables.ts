import { OBJECTIONS } from '../acquirer/stored-credential.ts'
import { UPDATER_RESULTS } from '../issuer/account-updater.ts'
import { findBrand } from '../issuer/card-brands.ts'
import type { CardBrand } from '../issuer/card-brands.ts'
import { SPECIAL_POSTAL_CODES, SPECIAL_SECURITY_CODES } from '../issuer/verification.ts'
import { FAULT_CARDS, KNOWN_CARDS, OLD_CARDS } from '../three-ds/cards.ts'
import type { SchemeCard } from '../three-ds/cards.ts'
import { CODES } from '../three-ds/challenge-store.ts'
import { FAULTS, FAULT_HABITS, HABITS } from '../three-ds/habits.ts'
import { CODE_AMOUNTS } from './code-amounts.ts'
import { DISPUTE_AMOUNTS } from './dispute-amounts.ts'
import type { DisputeAmount } from './dispute-amounts.ts'
import { ANSWERED_STAGES, DISPUTE_DEADLINES } from './dispute-deadlines.ts'
import { FAULT_AMOUNTS } from './fault-amounts.ts'
import { PUBLISHED_CAVVS } from './published-cavvs.ts'
import type { TestCard } from './test-card.ts'
import { TEST_CARDS } from './test-cards.ts'
import { TRIGGER_AMOUNTS } from './trigger-amounts.ts'
import type { ReportedCode, TriggerAmount } from './trigger-amounts.ts'

const BRAND_NAMES: Readonly<Record<CardBrand, string>> = {
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

/** The tables of docs/test-bank.md by the names of their marks. */
export const DOC_TABLES: Readonly<Record<string, () => string>> = {
  'trigger-amounts': () =>
    table(
      ['Amount', 'What happens', 'DE 39', 'Processor', 'Issuer', 'AVS', 'CVV'],
      [...TRIGGER_AMOUNTS.map(triggerRow), codeRow()],
    ),
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
  'test-cards': () =>
    table(['Number', 'Brand', 'Kind', 'What it does'], TEST_CARDS.map(testCardRow)),
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
] as const

function cardRow(meaning: string, habit: string, cards: readonly SchemeCard[]): readonly string[] {
  return [meaning, ...BRAND_COLUMNS.map(([brand]) => cellOf(cards, habit, brand))]
}

function cellOf(cards: readonly SchemeCard[], habit: string, brand: SchemeCard['brand']): string {
  return cards.find((card) => card.habit === habit && card.brand === brand)?.pan ?? ''
}

/** Puts each table between its marks. Throws when a mark or a table is missing. */
export function fillTables(page: string): string {
  const names = [...page.matchAll(/<!-- table: ([\w-]+) -->/g)].map(([, name = '']) => name)
  const missing = Object.keys(DOC_TABLES).filter((name) => !names.includes(name))
  if (missing.length > 0) throw new Error(`The page has no mark for: ${missing.join(', ')}.`)
  return names.reduce((text, name) => {
    const build = DOC_TABLES[name]
    const start = `<!-- table: ${name} -->\n`
    const from = text.indexOf(start) + start.length
    const to = text.indexOf('<!-- end -->', from)
    if (build === undefined) throw new Error(`There is no table for the mark "${name}".`)
    if (to === -1) throw new Error(`The mark "${name}" has no end.`)
    return `${text.slice(0, from)}${build()}\n${text.slice(to)}`
  }, page)
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

function codeRow(): string[] {
  const { amount, meaning, responseCode } = CODE_AMOUNTS
  return [amount, meaning, responseCode, '', '', '', '']
}

function triggerRow(row: TriggerAmount): readonly string[] {
  const { amount, avs, currency, cvv, issuer, meaning, processor, responseCode } = row
  const partial = row.partialMinor === undefined ? '' : ' (or `10`)'
  return [
    currency === '978' ? `${amount} EUR` : amount,
    meaning,
    `\`${responseCode}\`${partial}`,
    reported(processor),
    reported(issuer),
    avs ?? '',
    cvv ?? '',
  ]
}

function reported(reportedCode: ReportedCode | undefined): string {
  if (reportedCode === undefined) return ''
  const { code, text } = reportedCode
  return text === undefined ? `\`${code}\`` : `\`${code}\` ${text}`
}

function testCardRow({ meaning, pan, product }: TestCard): readonly string[] {
  const brand = findBrand(pan)
  const kind = product.prepaid ? 'prepaid' : product.detail.toLowerCase()
  return [pan, brand === null ? '' : BRAND_NAMES[brand], kind, meaning]
}

function disputeRow({ amount, meaning, raises }: DisputeAmount): readonly string[] {
  const [{ reasons } = { reasons: { visa: '', other: '' } }] = raises
  return [amount, meaning, `\`${reasons.visa}\``, `\`${reasons.other}\``]
}

function pairRow([value, result]: readonly [string, string]): readonly string[] {
  return [value, result]
}
