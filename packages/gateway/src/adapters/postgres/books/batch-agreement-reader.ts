import type pg from 'pg'
import { brandOfTag, type BrandFigures } from '../../../domain/books/batch-agreement.ts'
import type {
  BatchAgreementView,
  BatchDifference,
  BatchFigures,
  BatchTotals,
} from '../../../usecases/books/batches.ts'
import { readFigures } from './brand-figures.ts'

/** The agreement of a batch as it stands; null for a batch that the merchant does not have. */
export async function readAgreement(
  pool: pg.Pool,
  merchantId: bigint,
  batchId: bigint,
  limit: number,
): Promise<BatchAgreementView | null> {
  const { rows: batches } = await pool.query<{ agreed_at: Date | null }>(
    'select agreed_at from batches where id = $1 and merchant_id = $2',
    [batchId, merchantId],
  )
  const [batch] = batches
  if (batch === undefined) return null
  const { rows: totals } = await pool.query<{
    currency: string
    totals: unknown
    bank_totals: unknown
  }>(
    `select currency, totals, bank_totals from batch_agreements
      where batch_id = $1 order by currency`,
    [batchId],
  )
  const { rows: counts } = await pool.query<{ count: string }>(
    'select count(*) from batch_differences where batch_id = $1',
    [batchId],
  )
  return {
    agreedAt: batch.agreed_at,
    totals: totals.flatMap(({ currency, totals: own, bank_totals: bank }) =>
      byBrand(currency, readFigures(own), bank === null ? null : readFigures(bank)),
    ),
    differences: await readDifferences(pool, batchId, limit),
    differing: Number(counts[0]?.count ?? 0),
  }
}

/** A line for each brand that either side has. */
function byBrand(
  currency: string,
  own: readonly BrandFigures[],
  bank: readonly BrandFigures[] | null,
): BatchTotals[] {
  const brands = new Set([...own, ...(bank ?? [])].map(({ brand }) => brand))
  const find = (side: readonly BrandFigures[], brand: string): BatchFigures =>
    shown(side.find((figures) => figures.brand === brand))
  return [...brands].toSorted().map((brand) => ({
    currency,
    brand: brandOfTag(brand),
    gateway: find(own, brand),
    bank: bank === null ? null : find(bank, brand),
  }))
}

function shown(figures: BrandFigures | undefined): BatchFigures {
  const none = { count: 0, minor: 0n }
  if (figures === undefined) return { sales: none, refunds: none, voided: none }
  const { sales, refunds, voidedSales, voidedRefunds } = figures
  const voided = {
    count: voidedSales.count + voidedRefunds.count,
    minor: voidedSales.minor + voidedRefunds.minor,
  }
  return { sales, refunds, voided }
}

async function readDifferences(
  pool: pg.Pool,
  batchId: bigint,
  limit: number,
): Promise<BatchDifference[]> {
  const { rows } = await pool.query<Record<string, string | null>>(
    `select currency, kind, order_id, transaction_id, message_number, gateway_minor,
            gateway_voided_minor, bank_minor, bank_voided_minor
       from batch_differences where batch_id = $1 order by number limit $2`,
    [batchId, limit],
  )
  const whole = (text: string | null | undefined): bigint | null =>
    text === null || text === undefined ? null : BigInt(text)
  return rows.map((row) => ({
    currency: row['currency'] ?? '',
    kind: row['kind'] === 'refund' ? 'refund' : 'capture',
    orderId: whole(row['order_id']),
    transactionId: whole(row['transaction_id']),
    messageNumber: whole(row['message_number']) ?? 0n,
    gatewayMinor: whole(row['gateway_minor']),
    gatewayVoidedMinor: whole(row['gateway_voided_minor']),
    bankMinor: whole(row['bank_minor']),
    bankVoidedMinor: whole(row['bank_voided_minor']),
  }))
}
