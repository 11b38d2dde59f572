import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { brandOnTheWire, type BrandFigures } from '../../../domain/books/batch-agreement.ts'
import type { BatchContent } from '../../../usecases/books/batch-agreement.ts'
import type { BatchAction, BatchSum } from '../../../usecases/books/batches.ts'
import { inTransaction } from '../connection/transaction.ts'

/** About ten milliseconds of one core. */
const COUNTED_AT_ONCE = 1_000

// Each row by its key: a plan for whole tables would read them once for each slice.
const BY_KEY = `set local enable_seqscan = off; set local enable_hashjoin = off;
set local enable_mergejoin = off; set local max_parallel_workers_per_gather = 0`

const SLICE = `
with slice as materialized (
  select id, order_id, kind, state, value_minor, voided_minor from transactions
   where batch_id = $1 and id > $2 and kind in ('sale', 'capture', 'refund')
   order by id limit $3
), grouped as (
  select o.currency, s.kind as action, o.kind = 'payment' as named, p.brand,
         count(*)::int as transactions, (count(*) filter (where s.voided_minor > 0))::int as voided,
         sum(s.value_minor)::text as amount_minor, sum(s.voided_minor)::text as voided_minor
    from slice s
    join orders o on o.id = s.order_id
    join payment_methods p on p.id = o.payment_method_id
   where s.state = 'approved'
   group by o.currency, s.kind, named, p.brand
)
select (select max(id) from slice)::text as last, (select count(*) from slice)::int as read,
       (select coalesce(json_agg(g), '[]') from grouped g) as groups`

interface Group {
  readonly currency: string
  readonly action: BatchAction
  /** Its advices name the batch to the bank. Unreferenced credits do not. */
  readonly named: boolean
  readonly brand: string
  readonly transactions: number
  readonly voided: number
  readonly amount_minor: string
  readonly voided_minor: string
}

/**
 * Counts a closed batch, whose content cannot change. It reads slices by key, and rests after each
 * for as long as the slice took. So payments keep the processor while 100,000 rows are counted.
 */
export async function countInSlices(
  pool: pg.Pool,
  batchId: bigint,
  countedAtOnce = COUNTED_AT_ONCE,
): Promise<BatchContent> {
  const counted = new Count()
  let after = '0'
  for (;;) {
    const started = performance.now()
    const slice = await inTransaction(pool, null, async (client) => {
      await client.query(BY_KEY)
      const { rows } = await client.query<{
        last: string | null
        read: number
        groups: readonly Group[]
      }>(SLICE, [batchId, after, countedAtOnce])
      return rows[0]
    })
    invariant(slice !== undefined, 'a slice of a batch gave no row')
    for (const group of slice.groups) counted.add(group)
    if (slice.last === null || slice.read < countedAtOnce) return counted.content()
    after = slice.last
    await pause(performance.now() - started)
  }
}

/** The sequence in which sums are shown. */
const ACTIONS: readonly BatchAction[] = ['sale', 'capture', 'refund']

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends object ? Mutable<T[K]> : T[K] }

/** The sums of what was counted so far. */
class Count {
  readonly #sums = new Map<string, Mutable<BatchSum>>()
  readonly #totals = new Map<string, Map<string, Mutable<BrandFigures>>>()

  add(group: Group): void {
    const { action, brand, currency, transactions } = group
    const key = `${currency} ${ACTIONS.indexOf(action)} ${brand}`
    const none = { transactions: 0, amountMinor: 0n, voidedMinor: 0n }
    const sum = this.#sums.get(key) ?? { currency, action, brand, ...none }
    this.#sums.set(key, sum)
    sum.transactions += transactions
    sum.amountMinor += BigInt(group.amount_minor)
    sum.voidedMinor += BigInt(group.voided_minor)
    if (group.named) this.#name(group)
  }

  #name({ action, amount_minor: amount, currency, transactions, ...group }: Group): void {
    const brands = this.#totals.get(currency) ?? new Map<string, Mutable<BrandFigures>>()
    this.#totals.set(currency, brands)
    const brand = brandOnTheWire(group.brand)
    const figures = brands.get(brand) ?? { brand, ...noFigures() }
    brands.set(brand, figures)
    const own = action === 'refund' ? figures.refunds : figures.sales
    own.count += transactions
    own.minor += BigInt(amount)
    // A refund is never voided.
    figures.voidedSales.count += group.voided
    figures.voidedSales.minor += BigInt(group.voided_minor)
  }

  content(): BatchContent {
    const names = (left: string, right: string): number => (left < right ? -1 : 1)
    return {
      sums: [...this.#sums].toSorted(([left], [right]) => names(left, right)).map(([, sum]) => sum),
      totals: new Map(
        [...this.#totals]
          .toSorted(([left], [right]) => names(left, right))
          .map(([currency, brands]) => [
            currency,
            [...brands.values()].toSorted((left, right) => names(left.brand, right.brand)),
          ]),
      ),
    }
  }
}

function noFigures(): Omit<Mutable<BrandFigures>, 'brand'> {
  const none = { count: 0, minor: 0n }
  return {
    sales: { ...none },
    refunds: { ...none },
    voidedSales: { ...none },
    voidedRefunds: { ...none },
  }
}
