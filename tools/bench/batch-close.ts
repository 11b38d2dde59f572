import type pg from 'pg'
import { payment } from '../../test/support/payments.ts'
import { signIn } from '../../test/support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../../test/support/running-gateway.ts'
import { writeManyOrders } from './many-orders.ts'

/** So many orders that their batch holds more than 100,000 transactions. */
const ORDERS = 160_000
const SHOPS = 4
const MEASURE_MS = 5_000

/** Prints the longest payment before and while a batch of 100,000 transactions closes. */
async function run(): Promise<void> {
  const gateway = await startRunningGateway()
  try {
    await gateway.client().sale(payment('1.00'))
    await writeManyOrders(gateway.pool, ORDERS)
    const { id, transactions } = await fillBatch(gateway.pool)
    const owner = await signIn(gateway)
    const before = await longestPayment(gateway, () => pause(MEASURE_MS))
    const during = await longestPayment(gateway, async () => {
      const started = performance.now()
      const { status } = await owner.post(`/batches/${id}/close`)
      if (status !== 200) throw new Error(`The close was answered with ${status}.`)
      print(`the close was answered after ${ms(performance.now() - started)}`)
      await pause(MEASURE_MS)
    })
    print(`batch ${id} held ${transactions} transactions`)
    print(`longest of ${before.count} payments before the close: ${ms(before.longest)}`)
    print(`longest of ${during.count} payments during the close: ${ms(during.longest)}`)
  } finally {
    await gateway.stop()
  }
}

/** Puts the transactions of account 2001 into its open batch. */
async function fillBatch(pool: pg.Pool): Promise<{ id: string; transactions: string }> {
  await pool.query(
    `update transactions t set batch_id = b.id
       from orders o, batches b
      where o.id = t.order_id and o.merchant_account_id = 2001 and t.state = 'approved'
        and b.merchant_account_id = 2001 and b.closed_at is null`,
  )
  await pool.query('vacuum analyze transactions')
  const { rows } = await pool.query<{ id: string; transactions: string }>(
    `select b.id, count(t.id) as transactions
       from batches b join transactions t on t.batch_id = b.id
      where b.merchant_account_id = 2001 and b.closed_at is null and t.kind = 'sale'
      group by b.id`,
  )
  const [batch] = rows
  if (batch === undefined) throw new Error('The open batch is empty.')
  return batch
}

/** The longest sale, in milliseconds, of several shops while `work` is done. */
async function longestPayment(
  gateway: RunningGateway,
  work: () => Promise<void>,
): Promise<{ count: number; longest: number }> {
  let isWorking = true
  let longest = 0
  let count = 0
  const shop = async (): Promise<void> => {
    const client = gateway.client()
    while (isWorking) {
      const started = performance.now()
      await client.sale(payment('2.00'))
      longest = Math.max(longest, performance.now() - started)
      count += 1
    }
  }
  const shops = Array.from({ length: SHOPS }, shop)
  await work()
  isWorking = false
  await Promise.all(shops)
  return { count, longest }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function ms(duration: number): string {
  return `${duration.toFixed(1)} ms`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await run()
