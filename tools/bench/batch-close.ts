import { execFileSync } from 'node:child_process'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type pg from 'pg'
import { payment } from '../../test/support/payments.ts'
import { signIn, type SignedInUser } from '../../test/support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../../test/support/running-gateway.ts'
import { timeBankClose } from './bank-close.ts'
import { watchBatchLock } from './batch-lock.ts'
import { writeManyOrders } from './many-orders.ts'

/** So many orders that their batch holds more than 100,000 transactions. */
const ORDERS = 160_000
const CLOSES = 5
const SHOPS = 4
const MEASURE_MS = 5_000

interface Close {
  readonly transactions: string
  readonly answeredMs: number
  /** How long payments could not have the open batch. */
  readonly lockedMs: number
  readonly before: Window
  readonly during: Window
}

/** Payments of a while. */
interface Window {
  readonly count: number
  readonly longestMs: number
  /** The longest time that the one process of gateway, bank and shops did not look for events. */
  readonly loopMs: number
}

/** Prints what payments wait for while a batch of 100,000 transactions closes, several times. */
async function run(): Promise<void> {
  const gateway = await startRunningGateway()
  try {
    await gateway.client().sale(payment('1.00'))
    await writeManyOrders(gateway.pool, ORDERS)
    const owner = await signIn(gateway)
    const closes: Close[] = []
    for (let at = 0; at < CLOSES; at += 1) {
      const close = await closeOnce(gateway, owner)
      closes.push(close)
      print(shown(close))
    }
    print(`medians of ${CLOSES} closes:`)
    print(`  the lock of the batch was held for ${ms(median(closes.map((c) => c.lockedMs)))}`)
    print(`  the close was answered after ${ms(median(closes.map((c) => c.answeredMs)))}`)
    print(`  longest payment before: ${ms(median(closes.map((c) => c.before.longestMs)))}`)
    print(`  longest payment during: ${ms(median(closes.map((c) => c.during.longestMs)))}`)
    print(`  added to the longest payment: ${ms(median(closes.map(added)))}`)
    print(`the bank closed a batch of 100,000 captures in ${ms(median(timeBankClose(CLOSES)))}`)
  } finally {
    await gateway.stop()
  }
}

async function closeOnce(gateway: RunningGateway, owner: SignedInUser): Promise<Close> {
  const { id, transactions } = await fillBatch(gateway.pool)
  const before = await payDuring(gateway, () => pause(MEASURE_MS))
  const lock = watchBatchLock()
  let answeredMs = 0
  const during = await payDuring(gateway, async () => {
    const started = performance.now()
    const { status } = await owner.post(`/batches/${id}/close`)
    if (status !== 200) throw new Error(`The close was answered with ${status}.`)
    answeredMs = performance.now() - started
    await pause(MEASURE_MS)
  })
  return { transactions, answeredMs, lockedMs: lock.end(), before, during }
}

/** Puts the orders of `writeManyOrders` into the open batch of account 2001. */
async function fillBatch(pool: pg.Pool): Promise<{ id: string; transactions: string }> {
  await pool.query(
    `update transactions t set batch_id = b.id
       from orders o, batches b
      where o.id = t.order_id and o.merchant_account_id = 2001 and t.state = 'approved'
        and o.id between 5000001 and ${5_000_000 + ORDERS}
        and b.merchant_account_id = 2001 and b.closed_at is null`,
  )
  await pool.query('vacuum analyze transactions')
  await pool.query('checkpoint')
  // The bank syncs its journal for each payment, and would wait for the pages written above.
  execFileSync('sync')
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

/** The sales of several shops while `work` is done. */
async function payDuring(gateway: RunningGateway, work: () => Promise<void>): Promise<Window> {
  let isWorking = true
  let longestMs = 0
  let count = 0
  const shop = async (): Promise<void> => {
    const client = gateway.client()
    while (isWorking) {
      const started = performance.now()
      await client.sale(payment('2.00'))
      longestMs = Math.max(longestMs, performance.now() - started)
      count += 1
    }
  }
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const shops = Array.from({ length: SHOPS }, shop)
  await work()
  isWorking = false
  await Promise.all(shops)
  loop.disable()
  return { count, longestMs, loopMs: loop.max / 1e6 }
}

function shown({ transactions, answeredMs, lockedMs, before, during }: Close): string {
  const window = ({ count, longestMs, loopMs }: Window): string =>
    `${ms(longestMs)} of ${count} (event loop ${ms(loopMs)})`
  return (
    `${transactions} transactions: lock ${ms(lockedMs)}, answer ${ms(answeredMs)}, longest ` +
    `payment before ${window(before)}, during ${window(during)}`
  )
}

function added({ before, during }: Close): number {
  return during.longestMs - before.longestMs
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0
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
