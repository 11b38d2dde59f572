import type { Currency } from '../../domain/currency.ts'
import { fitsAmountField, parseAmount } from '../../domain/money.ts'
import type { RequestedLine } from '../../usecases/payments/payment-command.ts'
import type { Reading, RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'
import type { SentRequest } from './sent-request.ts'

/** The first line without an amount, from 1 up to the highest line that anything was sent for. */
export function missingLineAmount(sent: SentRequest): RefusedReading | null {
  const count = lineCount(sent)
  for (let line = 1; line <= count; line += 1) {
    if (sent.lines.get(line)?.amount === undefined) return missing(`LI_VALUE_${line}`)
  }
  return null
}

function lineCount({ lines }: SentRequest): number {
  let highest = 1
  for (const line of lines.keys()) highest = Math.max(highest, line)
  return highest
}

/**
 * The lines of a payment, whose forms are already checked. Refuses an amount with more decimals
 * than the currency has, and amounts that are too long alone or together.
 */
export function readLines(
  sent: SentRequest,
  currency: Currency,
): Reading<{ readonly lines: readonly RequestedLine[]; readonly totalMinor: bigint }> {
  const lines: RequestedLine[] = []
  let totalMinor = 0n
  const count = lineCount(sent)
  for (let line = 1; line <= count; line += 1) {
    const field = `LI_VALUE_${line}`
    const of = sent.lines.get(line)
    const amountMinor = readAmount(of?.amount, field, currency)
    if (typeof amountMinor !== 'bigint') return amountMinor ?? missing(field)
    totalMinor += amountMinor
    if (!fitsAmountField(totalMinor)) return refused('value_length_invalid', field)
    lines.push({
      product: of?.product ?? '',
      merchantProduct: of?.merchantProduct ?? '',
      count: of?.count ?? 1,
      amountMinor,
    })
  }
  return { kind: 'command', command: { lines, totalMinor } }
}

/** An amount in minor units, a refusal that names `field`, or null when none was sent. */
export function readAmount(
  text: string | undefined,
  field: string,
  currency: Currency,
): bigint | RefusedReading | null {
  if (text === undefined) return null
  const reading = parseAmount(text, currency)
  if (reading.kind === 'amount') return reading.minor
  const tooLong = reading.reason === 'too_long'
  return refused(tooLong ? 'value_length_invalid' : 'value_not_numeric', field)
}
