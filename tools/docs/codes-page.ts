import { readFileSync } from 'node:fs'
import type { PublishedTestValue } from '../../packages/gateway/src/domain/banks/test-value.ts'
import { RESERVED_SERVICE_CODES, SERVICE_TEXTS } from '../../packages/kernel/src/service-codes.ts'
import { table, withTables } from './doc-page.ts'
import { publishedValues } from './test-bank-page.ts'

/** Relative to the root of the repository. */
export const CODES_PAGE = 'docs/codes.md'

/** The page with the texts and test values of its service codes; their meanings stay. */
export function codesPage(): string {
  const page = readFileSync(new URL(`../../${CODES_PAGE}`, import.meta.url), 'utf8')
  const meanings = meaningsOf(page)
  const values = publishedValues()
  return withTables(page, {
    'service-codes': () =>
      table([
        ['Code', 'Text', 'Meaning', 'Test value'],
        ...Object.entries(SERVICE_TEXTS).map(([code, text]) => [
          code,
          text,
          meanings.get(code) ?? '',
          testValueOf(Number(code), values),
        ]),
      ]),
  })
}

function meaningsOf(page: string): ReadonlyMap<string, string> {
  const rows = page.slice(page.indexOf('<!-- table: service-codes -->')).split('\n')
  return new Map(
    rows.flatMap((row) => {
      const [, code = '', , meaning = ''] = row.split('|').map((cell) => cell.trim())
      return /^\d+$/.test(code) ? [[code, meaning] as const] : []
    }),
  )
}

const APPROVED = 100

/** The first value that has the code for an ordinary payment, else the first with any payment. */
function testValueOf(code: number, values: readonly PublishedTestValue[]): string {
  if (RESERVED_SERVICE_CODES.has(code)) return 'reserved'
  if (code === APPROVED) return 'any other amount and card'
  const found = (isOrdinary: boolean): string | undefined => {
    for (const { kind, trials, value } of values) {
      const trial = trials.find(
        ({ answer, runs, when }) =>
          answer?.service.code === code && runs !== 'disturbing' && (when === '') === isOrdinary,
      )
      if (trial === undefined) continue
      const noun = kind === 'amount' || kind === 'fault' ? 'amount' : 'card'
      // A code amount and a fault amount are named by their payment.
      const shown = value.endsWith('nn') ? trial.when : value
      return `${noun} ${shown}${trial.when === '' || shown === trial.when ? '' : `, ${trial.when}`}`
    }
    return undefined
  }
  return found(true) ?? found(false) ?? ''
}
