import type { Currency } from '../../domain/currency.ts'
import { parseAmount } from '../../domain/money.ts'
import type { RequestedLine } from '../../usecases/payments/payment-command.ts'
import { lineNumberOf } from './parameter-names.ts'
import type { Reading, RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'

/** The first line without an amount, from 1 up to the highest line that anything was sent for. */
export function missingLineAmount(params: ReadonlyMap<string, string>): RefusedReading | null {
  const count = lineCount(params)
  for (let line = 1; line <= count; line += 1) {
    const name = `LI_VALUE_${line}`
    if (!params.has(name)) return missing(name)
  }
  return null
}

function lineCount(params: ReadonlyMap<string, string>): number {
  let highest = 1
  for (const name of params.keys()) highest = Math.max(highest, lineNumberOf(name) ?? 0)
  return highest
}

/** Twelve digits of minor units are what a bank message has room for. */
const AMOUNT_LIMIT = 1_000_000_000_000n

/**
 * The lines of a payment, their forms being checked already. What is left to refuse is an amount
 * with more decimals than the currency has, and amounts that are too long alone or together.
 */
export function readLines(
  params: ReadonlyMap<string, string>,
  currency: Currency,
): Reading<{ readonly lines: readonly RequestedLine[]; readonly totalMinor: bigint }> {
  const lines: RequestedLine[] = []
  let totalMinor = 0n
  const count = lineCount(params)
  for (let line = 1; line <= count; line += 1) {
    const field = `LI_VALUE_${line}`
    const amount = readAmount(params, field, currency)
    if (typeof amount !== 'bigint') return amount ?? missing(field)
    totalMinor += amount
    if (totalMinor >= AMOUNT_LIMIT) return refused('value_length_invalid', field)
    lines.push({
      product: params.get(`LI_PROD_ID_${line}`) ?? '',
      merchantProduct: params.get(`LI_XTL_PROD_ID_${line}`) ?? '',
      count: Number(params.get(`LI_COUNT_${line}`) ?? '1'),
      amountMinor: amount,
    })
  }
  return { kind: 'command', command: { lines, totalMinor } }
}

/** An amount in minor units, a refusal, or null when none was sent. */
export function readAmount(
  params: ReadonlyMap<string, string>,
  field: string,
  currency: Currency,
): bigint | RefusedReading | null {
  const text = params.get(field)
  if (text === undefined) return null
  const reading = parseAmount(text, currency)
  if (reading.kind === 'amount') return reading.minor
  const tooLong = reading.reason === 'too_long'
  return refused(tooLong ? 'value_length_invalid' : 'value_not_numeric', field)
}
