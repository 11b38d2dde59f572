import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { eventually } from '../../test/support/eventually.ts'
import { payment } from '../../test/support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../../test/support/running-gateway.ts'

const USAGE = `Usage: npm run bench:bytes -- [FILE.sql]
  FILE.sql   changes of the schema, made before the first sale
`
/** PostgreSQL vacuums after each part, as it would under lasting load. */
const PART = 1_000
const WARM_UP_PARTS = 5
const PARTS = 25
const SALES = PART * PARTS
const AT_ONCE = 64
/** Less in all is the table of something else, which grew by a page. */
const SHOWN_FROM = 3

/** Retention erases their rows, and new ones take the place. */
const ERASED = new Set(['advices', 'events', 'requests'])

interface Size {
  readonly heap: number
  readonly indexes: number
}

/** Prints what a guest's sale with an order reference takes on disk, by table. */
async function run(changes: string | undefined): Promise<void> {
  const gateway = await startRunningGateway()
  try {
    if (changes !== undefined) await gateway.pool.query(readFileSync(changes, 'utf8'))
    const sellParts = async (parts: number): Promise<void> => {
      for (let part = 0; part < parts; part += 1) {
        await sell(gateway, PART)
        await gateway.pool.query('vacuum')
      }
    }
    await sellParts(WARM_UP_PARTS)
    const before = await sizes(gateway.pool)
    await sellParts(PARTS)
    print(shown(before, await sizes(gateway.pool)))
    print(await updatesInPlace(gateway.pool))
  } finally {
    await gateway.stop()
  }
}

let sold = 0

async function sell(gateway: RunningGateway, sales: number): Promise<void> {
  const client = gateway.client()
  const end = sold + sales
  const buyer = async (): Promise<void> => {
    while (sold < end) {
      sold += 1
      await client.sale(payment('11.00', { orderReference: `order-${1_000_000_000 + sold}` }))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, buyer))
  await eventually('advices are acknowledged and events numbered', async () => {
    const { rowCount } = await gateway.pool.query(
      `select from advices where state = 'queued'
       union all select from event_outbox union all select from open_transactions limit 1`,
    )
    return rowCount === 0
  })
}

/** Of each table; a partition counts for its parent. */
async function sizes(pool: pg.Pool): Promise<Map<string, Size>> {
  const { rows } = await pool.query<{ name: string; heap: string; indexes: string }>(
    `select coalesce(inhparent, c.oid)::regclass::text as name,
            sum(pg_table_size(c.oid)) as heap, sum(pg_indexes_size(c.oid)) as indexes
       from pg_class c left join pg_inherits on inhrelid = c.oid
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace group by 1`,
  )
  return new Map(
    rows.map(({ name, heap, indexes }) => [name, { heap: Number(heap), indexes: Number(indexes) }]),
  )
}

function shown(before: ReadonlyMap<string, Size>, after: ReadonlyMap<string, Size>): string {
  const rows = [...after].map(([table, { heap, indexes }]) => {
    const of = before.get(table) ?? { heap: 0, indexes: 0 }
    return {
      table,
      heap: (heap - of.heap) / SALES,
      indexes: (indexes - of.indexes) / SALES,
      staying: ERASED.has(table) ? 0 : (heap + indexes - of.heap - of.indexes) / SALES,
    }
  })
  const sum = (each: (row: (typeof rows)[number]) => number): number =>
    rows.reduce((all, row) => all + each(row), 0)
  const total = {
    table: 'all',
    heap: sum(({ heap }) => heap),
    indexes: sum(({ indexes }) => indexes),
    staying: sum(({ staying }) => staying),
  }
  return [
    '| table | rows | indexes | after retention |',
    '|---|--:|--:|--:|',
    ...[...rows.filter(({ heap, indexes }) => heap + indexes > SHOWN_FROM), total].map(
      ({ table, heap, indexes, staying }) =>
        `| ${table} | ${heap.toFixed(0)} | ${indexes.toFixed(0)} | ${staying.toFixed(0)} |`,
    ),
    `bytes of a sale: ${(total.heap + total.indexes).toFixed(0)}`,
  ].join('\n')
}

async function updatesInPlace(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ name: string; share: string }>(
    `select relname as name, round(100.0 * n_tup_hot_upd / n_tup_upd) as share
       from pg_stat_user_tables where n_tup_upd > $1 order by relname`,
    [SALES / 2],
  )
  return `updates in place: ${rows.map(({ name, share }) => `${name} ${share} %`).join(', ')}`
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

const [file, ...more] = process.argv.slice(2)
if (more.length > 0 || file?.startsWith('-') === true) {
  process.stderr.write(USAGE)
  process.exitCode = 2
} else {
  await run(file)
}
