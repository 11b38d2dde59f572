import { z } from 'zod'
import { readJson } from '../../base/json-faults.ts'
import { refused, type Result } from '../../base/refusal.ts'
import { findCurrency } from '../../domain/currency.ts'
import type { FeePlan, FeeRate } from '../../domain/fees/fee-plan.ts'
import { parseAmount } from '../../domain/money.ts'
import { BRAND_PREFIXES } from '../../domain/payments/card.ts'

const DAY = 'a day such as "2026-12-01"'
const PERCENT = 'a percentage of at most 4 decimals such as "1.4" or "-0.25", from -100 to 100'
const AMOUNTS = 'an object of currencies and amounts such as {"EUR": "0.25"}'
const BRANDS = BRAND_PREFIXES.map(([brand]) => brand)
const MERCHANT = 'a whole number above 0'

const amounts = z.record(z.string(), z.string({ error: AMOUNTS }), { error: AMOUNTS }).default({})

const SCHEMA = z.strictObject({
  merchantId: z.number({ error: MERCHANT }).int({ error: MERCHANT }).positive({ error: MERCHANT }),
  startsOn: z.iso.date({ error: DAY }),
  rates: z
    .array(
      z.strictObject({
        kind: z.enum(['sale', 'refund'], { error: '"sale" or "refund"' }),
        brand: z
          .enum(BRANDS, { error: `one of ${BRANDS.join(', ')}` })
          .nullable()
          .default(null),
        percent: z.string({ error: PERCENT }).default('0'),
        fixed: amounts,
      }),
      { error: 'a list of rates' },
    )
    .default([]),
  monthly: amounts,
})

/** Reads a plan of fees; reports every fault. docs/operators/fees.md has the format. */
export function readFeePlanFile(
  text: string,
): Result<{ readonly merchantId: bigint; readonly plan: FeePlan }> {
  const read = readJson(text, SCHEMA)
  if (!read.ok) return read
  const { merchantId, startsOn, rates, monthly } = read.value
  const faults: string[] = []
  const seen = new Set<string>()
  const priced = rates.map(({ kind, brand, percent, fixed }, at): FeeRate => {
    const name = `rates.${at}`
    if (seen.has(`${kind} ${brand}`)) {
      faults.push(`${name} is a second rate for ${kind} of ${brand ?? 'all brands'}; keep one.`)
    }
    seen.add(`${kind} ${brand}`)
    const millionths = millionthsOf(percent)
    if (millionths === null) faults.push(`${name}.percent is "${percent}"; it must be ${PERCENT}.`)
    return {
      kind,
      brand,
      millionths: millionths ?? 0n,
      fixedMinor: readAmounts(fixed, `${name}.fixed`, faults),
    }
  })
  const monthlyMinor = readAmounts(monthly, 'monthly', faults)
  for (const [currency, minor] of monthlyMinor) {
    if (minor < 0n) faults.push(`monthly.${currency} is below 0; it must be 0 or more.`)
  }
  if (faults.length > 0) return refused('invalid', faults)
  return {
    ok: true,
    merchantId: BigInt(merchantId),
    plan: { startsOn, rates: priced, monthlyMinor },
  }
}

/** Millionths of one of a percentage: 14,000 for 1.4. Null where it is none. */
function millionthsOf(percent: string): bigint | null {
  const match = /^(-?)(\d{1,3})(?:\.(\d{1,4}))?$/.exec(percent)
  if (match === null) return null
  const [, sign = '', whole = '', decimals = ''] = match
  const size = BigInt(whole + decimals.padEnd(4, '0'))
  if (size > 1_000_000n) return null
  return sign === '' ? size : -size
}

function readAmounts(
  texts: Readonly<Record<string, string>>,
  name: string,
  faults: string[],
): ReadonlyMap<string, bigint> {
  const amounts = new Map<string, bigint>()
  for (const [code, text] of Object.entries(texts)) {
    const currency = findCurrency(code)
    if (currency === null) {
      faults.push(`${name}.${code} is not a currency; use ISO 4217 codes such as EUR.`)
      continue
    }
    const isBack = text.startsWith('-')
    const reading = parseAmount(isBack ? text.slice(1) : text, currency)
    if (reading.kind === 'refused') {
      faults.push(`${name}.${code} is "${text}"; it must have at most ${currency.digits} decimals.`)
    } else amounts.set(code, isBack ? -reading.minor : reading.minor)
  }
  return amounts
}
