import type pg from 'pg'
import { EXPIRING_BEFORE_MS } from '../../../domain/events/order-event.ts'
import type { ExpiringOrders } from '../../../usecases/events/expiring-orders.ts'
import { CLOCKED_SITES } from '../clocks/site-clock-rows.ts'
import { inTransaction } from '../connection/transaction.ts'
import { recordFacts } from './outbox.ts'

const AT_ONCE = 500
/** The mark of the sites that go by the machine's clock. */
const MACHINE = 0n

const OPEN = `o.state = 'authorized' and o.released_at is null`

/** $2 and $3 are the mark. A site without one of its own starts where the machine's stands. */
const NEXT = `
select o.id, o.merchant_id, o.site_id, o.expires_at,
       (o.authorized_minor - o.captured_minor - o.voided_minor)::text as uncaptured
  from orders o
 where ${OPEN} and o.expires_at <= $1 and o.expires_at >= $2 and (o.expires_at, o.id) > ($2, $3)`

interface Mark {
  readonly until: Date | null
  readonly order_id: string
}

interface OrderRow {
  readonly id: string
  readonly merchant_id: string
  readonly site_id: string
  readonly expires_at: Date
  readonly uncaptured: string
}

/** How far announcements have come is kept in marks, so that no order carries one. */
export function createExpiringOrders(pool: pg.Pool): ExpiringOrders {
  return {
    async announce(now) {
      // A plain look first: most of the time there is none, and nothing is locked or written.
      if ((await findOfMachine(pool, await readMark(pool), now)).length === 0) return false
      return inTransaction(pool, null, async (client) => {
        const rows = await findOfMachine(client, await lockMark(client, MACHINE), now)
        await announceAll(client, rows, () => now)
        await moveMark(client, MACHINE, rows, dayAfter(now))
        return rows.length === AT_ONCE
      })
    },

    async announceOf(siteId, until) {
      for (;;) {
        const count = await inTransaction(pool, null, async (client) => {
          const last = new Date(until.getTime() + EXPIRING_BEFORE_MS)
          const mark = await lockMark(client, siteId)
          const { rows } = await client.query<OrderRow>(
            `${NEXT} and o.site_id = $4 and o.mode = 'test'
              order by o.expires_at, o.id limit ${AT_ONCE}`,
            [last, mark.until ?? '-infinity', mark.order_id, siteId],
          )
          await announceAll(client, rows, momentOf)
          await moveMark(client, siteId, rows, last)
          return rows.length
        })
        if (count < AT_ONCE) return
      }
    },

    async announceOne({ id, merchantId }, orderId, now) {
      await inTransaction(pool, null, async (client) => {
        // Other announcements of the site wait, so that none has the order too.
        await client.query(
          'select from event_expiring_marks where site_id = any($1) order by site_id for share',
          [[MACHINE, id]],
        )
        const { rows } = await client.query<OrderRow>(
          `select o.id, o.merchant_id, o.site_id, o.expires_at,
                  (o.authorized_minor - o.captured_minor - o.voided_minor)::text as uncaptured
             from orders o
            where ${OPEN} and o.id = $1 and o.site_id = $2 and o.merchant_id = $3
              and o.mode = 'test'
              and o.expires_at > coalesce((select max(until) from event_expiring_marks
                                            where site_id = any($4)), '-infinity')`,
          [orderId, id, merchantId, [MACHINE, id]],
        )
        await announceAll(client, rows, () => now)
      })
    },

    async nextOf(siteId, until) {
      const { rows } = await pool.query<{ expires_at: Date }>(
        `select o.expires_at from orders o
          where ${OPEN} and o.site_id = $1 and o.mode = 'test' and o.expires_at <= $2
            and o.expires_at > coalesce(
              (select until from event_expiring_marks where site_id = $1),
              (select until from event_expiring_marks where site_id = ${MACHINE}), '-infinity')
          order by o.expires_at limit 1`,
        [siteId, new Date(until.getTime() + EXPIRING_BEFORE_MS)],
      )
      const [row] = rows
      return row === undefined ? null : momentOf(row)
    },
  }
}

type Client = Pick<pg.ClientBase | pg.Pool, 'query'>

async function findOfMachine(client: Client, mark: Mark, now: Date): Promise<OrderRow[]> {
  // An authorization that has expired meanwhile has an event of its own.
  const isCurrent = mark.until !== null && mark.until >= now
  const { rows } = await client.query<OrderRow>(
    `${NEXT} and o.site_id <> all (${CLOCKED_SITES})
        and o.expires_at > coalesce((select k.until from event_expiring_marks k
                                      where k.site_id = o.site_id), '-infinity')
      order by o.expires_at, o.id limit ${AT_ONCE}`,
    [dayAfter(now), isCurrent ? mark.until : now, isCurrent ? mark.order_id : 0],
  )
  return rows
}

function dayAfter(now: Date): Date {
  return new Date(now.getTime() + EXPIRING_BEFORE_MS)
}

function momentOf({ expires_at: at }: Pick<OrderRow, 'expires_at'>): Date {
  return new Date(at.getTime() - EXPIRING_BEFORE_MS)
}

const NO_MARK: Mark = { until: null, order_id: '0' }

async function readMark(client: Client): Promise<Mark> {
  const { rows } = await client.query<Mark>(
    `select nullif(until, '-infinity') as until, order_id
       from event_expiring_marks where site_id = ${MACHINE}`,
  )
  return rows[0] ?? NO_MARK
}

async function lockMark(client: pg.ClientBase, siteId: bigint): Promise<Mark> {
  await client.query(
    `insert into event_expiring_marks (site_id, until, order_id)
     select $1, coalesce(max(until), '-infinity'), coalesce(max(order_id), 0)
       from event_expiring_marks where site_id = ${MACHINE}
     on conflict do nothing`,
    [siteId],
  )
  const { rows } = await client.query<Mark>(
    `select nullif(until, '-infinity') as until, order_id
       from event_expiring_marks where site_id = $1 for update`,
    [siteId],
  )
  return rows[0] ?? NO_MARK
}

/** An authorization that was captured whole has nothing to lose. */
async function announceAll(
  client: pg.ClientBase,
  rows: readonly OrderRow[],
  at: (row: OrderRow) => Date,
): Promise<void> {
  await recordFacts(
    client,
    rows
      .filter(({ uncaptured }) => BigInt(uncaptured) > 0n)
      .map((row) => ({
        type: 'authorization.expiring' as const,
        merchantId: BigInt(row.merchant_id),
        siteId: BigInt(row.site_id),
        objectId: BigInt(row.id),
        transactionId: null,
        details: { at: at(row).toISOString(), amount: row.uncaptured },
      })),
  )
}

/** An authorization lives for days, so that none is added behind the mark. */
async function moveMark(
  client: pg.ClientBase,
  siteId: bigint,
  rows: readonly OrderRow[],
  until: Date,
): Promise<void> {
  const last = rows.length === AT_ONCE ? rows.at(-1) : undefined
  await client.query(
    'update event_expiring_marks set until = $2, order_id = $3 where site_id = $1',
    [siteId, last?.expires_at ?? until, last?.id ?? '9223372036854775807'],
  )
}
