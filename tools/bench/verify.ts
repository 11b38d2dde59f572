import { verifyAndNote } from '@tollgate/gateway/books'
import type pg from 'pg'
import { startRunningGateway } from '../../test/support/running-gateway.ts'
import { writeManyOrders } from './many-orders.ts'
import { rowsRead } from './rows-read.ts'

const ORDERS = 200_000
const CHANGED = 2_000
const RUNS = 3

/** Prints what a full run of verify costs, and one that goes on from the last. */
async function run(): Promise<void> {
  const gateway = await startRunningGateway()
  try {
    const { pool } = gateway
    await writeManyOrders(pool, ORDERS)
    await writeParts(pool)
    const options = { bankTimeoutMs: 25_000, dataDir: gateway.nodeSettings['DATA_DIR'] ?? '' }
    const measure = async (sinceLast: boolean): Promise<Cost> => {
      await noteGoodRun(pool)
      const before = await rowsRead(pool)
      const started = performance.now()
      const { sinceLast: found } = await verifyAndNote(gateway.databaseUrl, sinceLast, options)
      const seconds = (performance.now() - started) / 1_000
      return { seconds, rows: (await rowsRead(pool)) - before, orders: found?.orders ?? ORDERS }
    }
    const costs = { full: [] as Cost[], since: [] as Cost[] }
    for (let at = 0; at < RUNS; at += 1) {
      costs.full.push(await measure(false))
      costs.since.push(await measure(true))
    }
    const [full, since] = [median(costs.full), median(costs.since)]
    print(`full run: ${shown(full)}`)
    print(`since the last run: ${shown(since)}`)
    print(`a full run reads ${(full.rows / since.rows).toFixed(0)} times the rows`)
    print(`and takes ${(full.seconds / since.seconds).toFixed(1)} times as long`)
  } finally {
    await gateway.stop()
  }
}

interface Cost {
  readonly seconds: number
  readonly rows: number
  readonly orders: number
}

/** A line, postings and an advice for each order of `writeManyOrders`. */
async function writeParts(pool: pg.Pool): Promise<void> {
  const statements = [
    `insert into order_lines (id, merchant_id, order_id, number, product, count, amount_minor,
                              captured_minor)
     select id, merchant_id, id, 1, 'Product', 1, requested_minor, captured_minor from orders`,
    `insert into ledger_postings (merchant_id, order_id, transaction_id, kind, currency,
                                  amount_minor, posted_at)
     select merchant_id, id, id, k.kind::ledger_posting_kind, currency, authorized_minor,
            created_at
       from orders cross join (values ('authorization'), ('capture')) k (kind)
      where authorized_minor > 0 and (k.kind = 'authorization' or captured_minor > 0)`,
    `insert into advices (id, merchant_id, order_id, transaction_id, sequence, kind, state,
                          amount_minor, original_mti, original_number, original_at, message_number,
                          message_at, next_try_at, response_code, acknowledged_at, created_at)
     select id, merchant_id, id, id, 1, 'capture', 'acknowledged', captured_minor, '0100',
            message_number, message_at, 90000000 + id, message_at, message_at, '00', message_at,
            created_at
       from orders where captured_minor > 0`,
    'vacuum analyze',
  ]
  for (const statement of statements) await pool.query(statement)
}

/** A good run, in which some older orders were open. */
async function noteGoodRun(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into verify_runs (began_at, ended_at, is_full, position)
     select now(), now(), true, position from event_head`,
  )
  await pool.query('delete from verify_orders')
  await pool.query(
    `insert into verify_orders (order_id, reason)
     select id, 'open' from orders order by id limit ${CHANGED}`,
  )
}

function median(costs: readonly Cost[]): Cost {
  const [cost] = costs
    .toSorted((left, right) => left.seconds - right.seconds)
    .slice(Math.floor(costs.length / 2))
  if (cost === undefined) throw new Error('Nothing was measured.')
  return cost
}

function shown({ orders, rows, seconds }: Cost): string {
  return `${orders} orders, ${rows} rows read, ${seconds.toFixed(1)} s`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await run()
