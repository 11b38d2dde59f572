import { startBank } from '@tollgate/bank'
import { reconcileNoted } from '@tollgate/gateway/books'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { startRunningGateway } from '../../test/support/running-gateway.ts'
import { writeBankBooks } from './bank-books.ts'
import { writeManyOrders, writePostings } from './many-orders.ts'
import { rowsRead } from './rows-read.ts'

const ORDERS = 200_000
const CHANGED = 2_000
const RUNS = 3

/** Prints what a full run of recon costs, and one that goes on from the last. */
async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-recon-'))
  const gateway = await startRunningGateway()
  try {
    const { pool } = gateway
    await writeManyOrders(pool, ORDERS)
    await writePostings(pool)
    await pool.query('vacuum analyze')
    const bankPosition = await writeBankBooks(pool, folder, CHANGED)
    const bank = await startBank({
      host: '127.0.0.1',
      port: 0,
      controlPort: 0,
      folder,
      now: Date.now,
      warn: print,
      onFatal: (error) => print(String(error)),
    })
    const options = { controlUrl: bank.controlUrl ?? '', readSecret: () => null, settleMs: 0 }
    const measure = async (sinceLast: boolean): Promise<Cost> => {
      await noteRun(pool, bankPosition)
      const before = await rowsRead(pool)
      const started = performance.now()
      const found = await reconcileNoted(gateway.databaseUrl, sinceLast, options)
      const seconds = (performance.now() - started) / 1_000
      const { bankOrders, differences, orders } = found
      if (differences.length > 0) throw new Error(JSON.stringify(differences[0]?.reasons))
      return { seconds, rows: (await rowsRead(pool)) - before, orders, bankOrders }
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
    await bank.stop()
  } finally {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Cost {
  readonly seconds: number
  readonly rows: number
  readonly orders: number
  /** How many of them the bank sent. */
  readonly bankOrders: number
}

/** A run, in which the newest orders were open. */
async function noteRun(pool: pg.Pool, bankPosition: string): Promise<void> {
  await pool.query(
    `insert into operator_recon_runs (began_at, ended_at, is_full, position, bank_position)
     select now(), now(), true, position, $1 from event_head`,
    [bankPosition],
  )
  await pool.query('delete from operator_recon_orders')
  await pool.query(
    `insert into operator_recon_orders (order_id, reason)
     select id, 'open' from orders where authorized_minor > 0 order by id desc limit ${CHANGED}`,
  )
}

function median(costs: readonly Cost[]): Cost {
  const [cost] = costs
    .toSorted((left, right) => left.seconds - right.seconds)
    .slice(Math.floor(costs.length / 2))
  if (cost === undefined) throw new Error('Nothing was measured.')
  return cost
}

function shown({ bankOrders, orders, rows, seconds }: Cost): string {
  return `${orders} orders, ${bankOrders} of the bank, ${rows} rows read, ${seconds.toFixed(1)} s`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await run()
