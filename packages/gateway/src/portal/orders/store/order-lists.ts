import type { ColumnsRow } from '@tollgate/portal-contract/order-columns'
import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { ListCursor, ListPage, ListQuestion, OrderLists } from '../usecases/order-list.ts'
import {
  ALL_JOINS,
  Conditions,
  filterConditions,
  fromClause,
  fromFitting,
  names,
  order,
  place,
  Values,
} from './list-sql.ts'
import { lookUp, type Search } from './order-search.ts'
import { DRIVER, rowColumns, totalColumns, totalsOf, type TotalsRow } from './row-sql.ts'

/** How many rows of the list the first look goes through; the next ones more, as time allows. */
const FIRST_LOOK = 500
const LARGEST_LOOK = 16_000
/** After this long a page is answered with what was found. */
const PAGE_BUDGET_MS = 110
/** A page goes on by this much at least, however long its search was looked up. */
const LEAST_BUDGET_MS = 25
const PIECE = 1_000

interface Row {
  readonly micros: string
  readonly cursor_id: string
  readonly order_id: string
  readonly transaction_id: string | null
  readonly at: Date
  readonly site: string
  readonly account: string
  readonly reference: string
  readonly status: string
  readonly action: string
  readonly initiator: string
  readonly customer_id: string
  readonly customer: string
  readonly email: string
  readonly brand: string
  readonly last4: string
  readonly currency: string
  readonly amount: string | null
  readonly authorized: string
  readonly voided: string
  readonly captured: string
  readonly refunded: string
  readonly service_code: number
  readonly avs: string
  readonly cvv: string
  readonly three_ds: string
  readonly auth_code: string
  readonly network_id: string
  readonly batch: string | null
  readonly username: string
}

/** A part of the list: so many rows behind `after` at most; `end` is the last one, if any. */
interface Look {
  readonly after: ListCursor | null
  readonly end: ListCursor | null
  readonly length: number
}

export interface OrderListPools {
  /** For pages and files. */
  readonly lists: pg.Pool
  /** For sums, with a statement time-out that says how long they may take. */
  readonly sums: pg.Pool
  readonly monotonicMs: () => number
}

/**
 * The lists of orders and transactions. A page reads the index of its list from the cursor on, in
 * batches of so many rows. It ends when it is full or its time is over, so a filter without matches
 * takes no longer than no filter. A filter that few orders fit uses its own index instead.
 */
export function createOrderLists({ lists, sums, monotonicMs }: OrderListPools): OrderLists {
  async function page(
    question: ListQuestion,
    search: Search,
    after: ListCursor | null,
    limit: number,
    budgetMs: number,
  ): Promise<Omit<ListPage, 'readings'>> {
    if (search.isEmpty) return { rows: [], next: null, lookedUntil: null }
    if (search.isNarrow) {
      const rows = await readRows(question, search, after, limit + 1)
      return {
        rows: rows.slice(0, limit).map(foundRow),
        next: rows.length > limit ? cursorOf(rows[limit - 1]) : null,
        lookedUntil: null,
      }
    }
    const started = monotonicMs()
    const found: Row[] = []
    let from = after
    for (let look = FIRST_LOOK; ;) {
      const lookStarted = monotonicMs()
      const end = await endOfLook(question, from, look)
      const wanted = limit + 1 - found.length
      found.push(...(await readLook(question, search, { after: from, end, length: look }, wanted)))
      if (found.length > limit)
        return {
          rows: found.slice(0, limit).map(foundRow),
          next: cursorOf(found[limit - 1]),
          lookedUntil: null,
        }
      if (end === null) return { rows: found.map(foundRow), next: null, lookedUntil: null }
      from = end
      const now = monotonicMs()
      const left = budgetMs - (now - started)
      if (left < budgetMs / 4) {
        return {
          rows: found.map(foundRow),
          next: end,
          lookedUntil: new Date(Number(end.micros / 1000n)),
        }
      }
      // As many as were read in that time before: the cost of a match may be low or high.
      look = Math.min(
        LARGEST_LOOK,
        Math.max(FIRST_LOOK, Math.floor((look / Math.max(now - lookStarted, 1)) * left)),
      )
    }
  }

  /** The end of a look through so many rows of the index; null at the end of the list. */
  async function endOfLook(
    question: ListQuestion,
    from: ListCursor | null,
    look: number,
  ): Promise<ListCursor | null> {
    const { list, oldestFirst } = question
    const values = new Values()
    const driver = DRIVER[list]
    const { rows } = await lists.query<{ micros: string; id: string }>(
      `select (extract(epoch from ${driver}.created_at) * 1000000)::bigint as micros, ${driver}.id
         from ${list} ${driver}
        where ${behind(question, from, values).text} ${order(list, oldestFirst)} offset ${look - 1} limit 1`,
      values.list,
    )
    const [row] = rows
    return row === undefined ? null : { micros: BigInt(row.micros), id: BigInt(row.id) }
  }

  async function readRows(
    question: ListQuestion,
    search: Search,
    after: ListCursor | null,
    limit: number,
  ): Promise<Row[]> {
    const { list, oldestFirst } = question
    const values = new Values()
    const conditions = whole(question, search, values)
    if (after !== null) conditions.add(place(list, oldestFirst ? '>' : '<', after, values))
    const { rows } = await lists.query<Row>(
      `select ${rowColumns(list)} ${fromClause(list, ALL_JOINS)}
        where ${conditions.text} ${order(list, oldestFirst)} limit ${limit}`,
      values.list,
    )
    return rows
  }

  /**
   * The rows of a look that fit. Its own rows are taken first and counted, and everything else is
   * read for these alone.
   */
  async function readLook(
    question: ListQuestion,
    search: Search,
    look: Look,
    limit: number,
  ): Promise<Row[]> {
    const { list, oldestFirst } = question
    const values = new Values()
    const driver = DRIVER[list]
    const sorted = order(list, oldestFirst)
    const own = behind(question, look.after, values)
    if (look.end !== null) own.add(place(list, oldestFirst ? '<=' : '>=', look.end, values))
    const looked = `(select * from ${list} ${driver} where ${own.text} ${sorted} limit ${look.length})`
    const fitting = fromFitting(list, looked, whole(question, search, values))
    const { rows } = await lists.query<Row>(
      `select ${rowColumns(list)} ${fromClause(
        list,
        ALL_JOINS,
        `(select ${driver}.* ${fitting} ${sorted} limit ${limit})`,
      )} ${sorted}`,
      values.list,
    )
    return rows
  }

  return {
    async page(question, after, limit) {
      const started = monotonicMs()
      const search = await lookUp(lists, question)
      const left = Math.max(PAGE_BUDGET_MS - (monotonicMs() - started), LEAST_BUDGET_MS)
      const [rows, readings] = await Promise.all([
        page(question, search, after, limit, left),
        // They stand above the first page.
        after === null ? search.count() : [],
      ])
      return { ...rows, readings }
    },
    async *pieces(question) {
      const search = await lookUp(lists, question)
      let after: ListCursor | null = null
      do {
        const { rows, next }: Omit<ListPage, 'readings'> = await page(
          question,
          search,
          after,
          PIECE,
          PAGE_BUDGET_MS,
        )
        if (rows.length > 0) yield rows
        after = next
      } while (after !== null)
    },
    async totals(question) {
      const search = await lookUp(lists, question)
      if (search.isEmpty) return []
      const values = new Values()
      const conditions = whole(question, search, values)
      try {
        const { rows } = await sums.query<TotalsRow>(
          `select ${totalColumns(question.list)} ${sumsFrom(question, conditions)}
            where ${conditions.text} group by o.currency order by count(*) desc, o.currency`,
          values.list,
        )
        return rows.map(totalsOf)
      } catch (error) {
        if (isTimeout(error)) return null
        throw error
      }
    },
    async choices(merchantId) {
      const merchant = [merchantId.toString()]
      const [accounts, users] = await Promise.all([
        lists.query<{ id: string; processor_name: string; currencies: string[] }>(
          'select id, processor_name, currencies from merchant_accounts where merchant_id = $1 order by id',
          merchant,
        ),
        lists.query<{ username: string }>(
          'select username from api_users where merchant_id = $1 order by username limit 500',
          merchant,
        ),
      ])
      return {
        accounts: accounts.rows.map(({ id, processor_name: name }) => ({
          id: BigInt(id),
          name: `${id} ${name}`,
        })),
        users: users.rows.map(({ username }) => username),
        currencies: [...new Set(accounts.rows.flatMap(({ currencies }) => currencies))].toSorted(),
      }
    },
    async timeOf(merchantId, siteId) {
      const { rows } = await lists.query<{ at: Date }>(
        `select coalesce((select site_time(id, now()) from sites where id = $2 and merchant_id = $1),
                         now()) as at`,
        [merchantId.toString(), siteId === null ? null : siteId.toString()],
      )
      const [row] = rows
      invariant(row !== undefined, 'a select without a table gave no row')
      return row.at
    },
  }
}

/** The merchant's rows of the days asked for, behind a cursor. */
function behind(
  { merchantId, list, filter, oldestFirst }: ListQuestion,
  after: ListCursor | null,
  values: Values,
): Conditions {
  const conditions = filterConditions(
    { merchantId, list, terms: [], whole: null, oldestFirst, filter: { within: filter.within } },
    values,
  )
  if (after !== null) conditions.add(place(list, oldestFirst ? '>' : '<', after, values))
  return conditions
}

/** The filter and what is searched for, together. */
function whole(question: ListQuestion, search: Search, values: Values): Conditions {
  const conditions = filterConditions(question, values)
  search.addTo(conditions)
  return conditions
}

/** Nothing is joined for sums that neither they nor the filter look at. */
function sumsFrom({ list }: ListQuestion, conditions: Conditions): string {
  const isPlain = list === 'orders' && conditions.joins.size === 0 && !names(conditions, 't')
  return isPlain ? 'from orders o' : fromClause(list, conditions.joins)
}

function cursorOf(row: Row | undefined): ListCursor | null {
  return row === undefined ? null : { micros: BigInt(row.micros), id: BigInt(row.cursor_id) }
}

function foundRow(row: Row): ColumnsRow {
  return {
    orderId: BigInt(row.order_id),
    transactionId: BigInt(row.transaction_id ?? 0),
    at: row.at,
    site: row.site,
    account: row.account,
    reference: row.reference,
    status: row.status,
    action: row.action,
    initiator: row.initiator,
    customerId: BigInt(row.customer_id),
    customer: row.customer,
    email: row.email,
    brand: row.brand,
    last4: row.last4,
    currency: row.currency,
    amount: BigInt(row.amount ?? 0),
    authorized: BigInt(row.authorized),
    voided: BigInt(row.voided),
    captured: BigInt(row.captured),
    refunded: BigInt(row.refunded),
    serviceCode: row.service_code,
    avs: row.avs,
    cvv: row.cvv,
    threeDs: row.three_ds,
    authCode: row.auth_code,
    networkId: row.network_id,
    batch: row.batch === null ? null : BigInt(row.batch),
    user: row.username,
  }
}

/** 57014: the statement was cancelled, by its time-out. */
function isTimeout(error: unknown): boolean {
  return error instanceof Error && (error as Error & { code?: string }).code === '57014'
}
