import type { Currency } from '../../domain/currency.ts'
import { readProductDefinition, type ProductRefusal } from '../../domain/memberships/product.ts'
import type { PaymentCommand, RequestedLine } from '../../usecases/payments/payment-command.ts'
import type { Reading, RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'

type Params = ReadonlyMap<string, string>

const PARTS = ['PROD_NAME', 'PROD_TYPE', 'PROD_REBILL_METRIC', 'PROD_REBILL_PERIOD']

/** The first of the four parts that is missing, where any is there. */
export function missingProductPart(params: Params): RefusedReading | null {
  if (!PARTS.some((name) => params.has(name))) return null
  const absent = PARTS.find((name) => !params.has(name))
  return absent === undefined ? null : missing(absent)
}

/**
 * PROD_*, and the line that it defines the product of: the first one without a LI_PROD_ID_n, or
 * line 1 where each has one. The amount of the line is the price.
 */
export function readDefinition(
  params: Params,
  lines: readonly RequestedLine[],
  currency: Currency,
): Reading<NonNullable<PaymentCommand['definition']>> | null {
  if (!params.has('PROD_NAME')) return null
  const line = Math.max(
    0,
    lines.findIndex(({ product }) => product === ''),
  )
  const reading = readProductDefinition(
    {
      name: params.get('PROD_NAME'),
      type: params.get('PROD_TYPE'),
      metric: params.get('PROD_REBILL_METRIC')?.toUpperCase(),
      period: params.get('PROD_REBILL_PERIOD'),
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
