import type pg from 'pg'
import { brandOnTheWire, type BrandFigures } from '../../../domain/books/batch-agreement.ts'

/** By currency and brand. Unreferenced credits name no batch to the bank, so they do not count. */
const TOTALS = `
select o.currency, p.brand,
       count(*) filter (where t.kind <> 'refund') as sales,
       coalesce(sum(t.value_minor) filter (where t.kind <> 'refund'), 0) as sales_minor,
       count(*) filter (where t.kind = 'refund') as refunds,
       coalesce(sum(t.value_minor) filter (where t.kind = 'refund'), 0) as refunds_minor,
       count(*) filter (where t.voided_minor > 0) as voided,
       coalesce(sum(t.voided_minor), 0) as voided_minor
  from transactions t
  join orders o on o.id = t.order_id
  join payment_methods p on p.id = o.payment_method_id
 where t.batch_id = $1 and t.kind in ('sale', 'capture', 'refund') and t.state = 'approved'
   and o.kind = 'payment'
 group by o.currency, p.brand`

interface TotalsRow {
  readonly currency: string
  readonly brand: string
  readonly sales: string
  readonly sales_minor: string
  readonly refunds: string
  readonly refunds_minor: string
  readonly voided: string
  readonly voided_minor: string
}

/** The totals that the bank is asked about, by currency. */
export async function readTotals(
  client: Pick<pg.Pool | pg.ClientBase, 'query'>,
  batchId: bigint,
): Promise<Map<string, BrandFigures[]>> {
  const { rows } = await client.query<TotalsRow>(`${TOTALS} order by o.currency, p.brand`, [
    batchId,
  ])
  const none = { count: 0, minor: 0n }
  const totals = new Map<string, BrandFigures[]>()
  for (const row of rows) {
    const brands = totals.get(row.currency) ?? []
    totals.set(row.currency, brands)
    brands.push({
      brand: brandOnTheWire(row.brand),
      sales: { count: Number(row.sales), minor: BigInt(row.sales_minor) },
      refunds: { count: Number(row.refunds), minor: BigInt(row.refunds_minor) },
      voidedSales: { count: Number(row.voided), minor: BigInt(row.voided_minor) },
      voidedRefunds: none,
    })
  }
  return totals
}
