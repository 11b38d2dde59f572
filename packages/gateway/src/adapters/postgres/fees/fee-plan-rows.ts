import type pg from 'pg'
import type { FeeKind, FeePlan, FeeRate } from '../../../domain/fees/fee-plan.ts'

type Amounts = Readonly<Record<string, string>>

/** The prices of a plan as its row has them: minor units and millionths as texts. */
export interface StoredPrices {
  readonly rates: readonly {
    readonly kind: FeeKind
    readonly brand: FeeRate['brand']
    readonly millionths: string
    readonly fixed: Amounts
  }[]
  readonly monthly: Amounts
}

/** Plans of a merchant, the first one first. */
export async function readPlans(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  merchantId: bigint,
): Promise<readonly FeePlan[]> {
  const { rows } = await client.query<{ starts_on: string; prices: StoredPrices }>(
    `select starts_on::text, prices from fee_plans where merchant_id = $1 order by starts_on`,
    [merchantId],
  )
  return rows.map(({ starts_on: startsOn, prices }) => planOf(startsOn, prices))
}

/** The plan of a row. */
export function planOf(startsOn: string, { rates, monthly }: StoredPrices): FeePlan {
  return {
    startsOn,
    rates: rates.map(({ millionths, fixed, ...rate }) => ({
      ...rate,
      millionths: BigInt(millionths),
      fixedMinor: amountsOf(fixed),
    })),
    monthlyMinor: amountsOf(monthly),
  }
}

/** The prices of a plan for its row. */
export function storedPrices({ rates, monthlyMinor }: FeePlan): StoredPrices {
  return {
    rates: rates.map(({ kind, brand, millionths, fixedMinor }) => ({
      kind,
      brand,
      millionths: millionths.toString(),
      fixed: textsOf(fixedMinor),
    })),
    monthly: textsOf(monthlyMinor),
  }
}

function amountsOf(texts: Amounts): ReadonlyMap<string, bigint> {
  return new Map(Object.entries(texts).map(([currency, minor]) => [currency, BigInt(minor)]))
}

function textsOf(amounts: ReadonlyMap<string, bigint>): Amounts {
  return Object.fromEntries([...amounts].map(([currency, minor]) => [currency, minor.toString()]))
}
