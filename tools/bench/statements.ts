import { readFileSync } from 'node:fs'
import pg from 'pg'
import * as payments from '../../packages/gateway/src/adapters/postgres/payments/payment-store.ts'
import type { PaymentStore } from '../../packages/gateway/src/usecases/payments/payment-store.ts'
import {
  openBooks,
  type SettlementBooks,
} from '../../packages/gateway/test/adapters/postgres/settlement/settlement-books.ts'
import { startTestServer } from '../../packages/gateway/test/support/database.ts'
import { authorization, conclusionOf } from './authorizations.ts'

const USAGE = `Usage: npm run bench:statements -- [FILE.sql]
  FILE.sql   changes of the schema; this schema and the changed one are measured in turn
`
const GROUPS = [1, 11, 32, 64]
const ROWS_OF_A_TURN = 320
const TURNS = 16
const LANES = ['tollgate intents', 'tollgate conclusions']

/** A database with the payment store on it. */
interface Books extends Pick<SettlementBooks, 'close'> {
  readonly name: string
  readonly store: PaymentStore
  readonly client: pg.Client
}

interface Cost {
  /** Processor time of the backends of both lanes, in microseconds for each authorization. */
  readonly micros: number
  readonly walBytes: number
}

/**
 * Prints what the database spends on the two writes of an authorization, by the size of their
 * groups. The server does not wait for its disk.
 */
async function run(changes: string | undefined): Promise<void> {
  const server = await startTestServer()
  const open = async (name: string, sql: string): Promise<Books> =>
    openStore(name, await server.createDatabase(), sql)
  const all: Books[] = []
  try {
    all.push(await open('this schema', ''))
    if (changes !== undefined) all.push(await open('changed', readFileSync(changes, 'utf8')))
    for (const books of all) await writeGroups(books.store, 64, ROWS_OF_A_TURN)
    for (const group of GROUPS) await measureInTurn(all, group)
    for (const books of all) {
      print(`${books.name}: ${await updatesInPlace(books.client)}`)
    }
  } finally {
    for (const books of all) await books.close()
    await server.stop()
  }
}

async function openStore(name: string, url: string, sql: string): Promise<Books> {
  const { database, close } = await openBooks(url, 'test')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    'insert into batches (id, merchant_id, merchant_account_id) values (1, 1, 2001)',
  )
  if (sql !== '') await client.query(sql)
  return {
    name,
    store: payments.createPaymentStore(database),
    client,
    async close() {
      await client.end()
      await close()
    },
  }
}

let lastId = 1_000_000n

async function writeGroups(store: PaymentStore, group: number, rows: number): Promise<void> {
  for (let written = 0; written < rows; written += group) {
    const intents = Array.from({ length: group }, () => authorization((lastId += 1n)))
    await Promise.all(intents.map((intent) => store.intend(intent)))
    const conclusions = intents.map(conclusionOf)
    await Promise.all(conclusions.map((conclusion) => store.conclude(conclusion)))
  }
}

/**
 * Each turn measures every schema once. Other programs only add to the time, so the turn with the
 * least says the most.
 */
async function measureInTurn(all: readonly Books[], group: number): Promise<void> {
  const costs = new Map<Books, Cost[]>(all.map((books) => [books, []]))
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [books, of] of costs) of.push(await measure(books, group))
  }
  for (const [{ name }, of] of costs) {
    const micros = of.map((cost) => cost.micros)
    const walBytes = median(of.map((cost) => cost.walBytes))
    print(
      `group of ${group}, ${name}: least ${Math.min(...micros).toFixed(0)} us, ` +
        `median ${median(micros).toFixed(0)} us, ${walBytes.toFixed(0)} bytes of log`,
    )
  }
}

async function measure({ store, client }: Books, group: number): Promise<Cost> {
  const rows = Math.ceil(ROWS_OF_A_TURN / group) * group
  const before = await spent(client)
  await writeGroups(store, group, rows)
  const after = await spent(client)
  return {
    micros: (after.micros - before.micros) / rows,
    walBytes: (after.walBytes - before.walBytes) / rows,
  }
}

async function spent(client: pg.Client): Promise<Cost> {
  const { rows } = await client.query<{ pid: number; wal: string }>(
    `select pid, pg_current_wal_insert_lsn() - '0/0' as wal from pg_stat_activity
      where datname = current_database() and application_name = any($1)`,
    [LANES],
  )
  const nanos = rows.map(({ pid }) =>
    Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]),
  )
  return {
    micros: nanos.reduce((sum, each) => sum + each / 1_000, 0),
    walBytes: Number(rows[0]?.wal),
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN
}

async function updatesInPlace(client: pg.Client): Promise<string> {
  await client.query('select pg_stat_force_next_flush()')
  const { rows } = await client.query<{ relname: string; share: string | null }>(
    `select relname, round(100.0 * n_tup_hot_upd / nullif(n_tup_upd, 0)) as share
       from pg_stat_user_tables where relname in ('orders', 'transactions') order by relname`,
  )
  return rows.map(({ relname, share }) => `${share ?? 0} % of updates of ${relname} HOT`).join(', ')
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

const [file] = process.argv.slice(2)
if (file === '--help') print(USAGE)
else await run(file)
