import type { Currency } from '../../domain/currency.ts'
import { readProductDefinition, type ProductRefusal } from '../../domain/memberships/product.ts'
import type { PaymentCommand, RequestedLine } from '../../usecases/payments/payment-command.ts'
import type { Reading, RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { isSent, type SentRequest } from './sent-request.ts'

const PARTS = ['PROD_NAME', 'PROD_TYPE', 'PROD_REBILL_METRIC', 'PROD_REBILL_PERIOD'] as const

/** The first of the four parts that is missing, where any is there. */
export function missingProductPart(sent: SentRequest): RefusedReading | null {
  if (!PARTS.some((name) => isSent(sent, name))) return null
  const absent = PARTS.find((name) => !isSent(sent, name))
  return absent === undefined ? null : missing(absent)
}

/**
 * PROD_*, and the line that it defines the product of: the first one without a LI_PROD_ID_n, or
 * line 1 where each has one. The amount of the line is the price.
 */
export function readDefinition(
  sent: SentRequest,
  lines: readonly RequestedLine[],
  currency: Currency,
): Reading<NonNullable<PaymentCommand['definition']>> | null {
  if (sent.PROD_NAME === undefined) return null
  const line = Math.max(
    0,
    lines.findIndex(({ product }) => product === ''),
  )
  const reading = readProductDefinition(
    {
      name: sent.PROD_NAME,
      type: sent.PROD_TYPE,
      metric: sent.PROD_REBILL_METRIC,
      period: sent.PROD_REBILL_PERIOD,
    },
    { minor: lines[line]?.amountMinor ?? 0n, currency },
  )
  if (reading.kind === 'definition') {
    return { kind: 'command', command: { line, product: reading.definition } }
  }
  if (reading.reason === 'type_unknown') return refused('product_type_unknown', 'PROD_TYPE')
  if (reading.reason === 'price_not_positive')
    return refused('value_invalid', `LI_VALUE_${line + 1}`)
  return refused('value_invalid', FIELDS[reading.reason])
}

const FIELDS: Readonly<
  Record<Exclude<ProductRefusal, 'type_unknown' | 'price_not_positive'>, string>
> = {
  name_missing: 'PROD_NAME',
  type_missing: 'PROD_TYPE',
  metric_missing: 'PROD_REBILL_METRIC',
  period_missing: 'PROD_REBILL_PERIOD',
  name_invalid: 'PROD_NAME',
  metric_invalid: 'PROD_REBILL_METRIC',
  period_invalid: 'PROD_REBILL_PERIOD',
}
