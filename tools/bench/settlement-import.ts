import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { createSettlementImportStore } from '../../packages/gateway/src/adapters/postgres/settlement/import-store.ts'
import { retrievalReference } from '../../packages/gateway/src/adapters/processor-iso8583/message-identity.ts'
import { importFile } from '../../packages/gateway/src/usecases/settlement/import-file.ts'
import { openBooks } from '../../packages/gateway/test/adapters/postgres/settlement/settlement-books.ts'
import { sha256 } from '../../packages/gateway/test/domain/settlement/file-text.ts'
import { startTestServer } from '../../packages/gateway/test/support/database.ts'

const LINES = Number(process.argv[2] ?? 1_000_000)
const FIRST_ID = 5_000_000
const FIRST_AT = Date.parse('2026-11-19T00:00:00Z')
/** All orders are within one day. */
const APART_MS = 80_000_000 / LINES
const FEE_MINOR = 59n
const CHUNK_BYTES = 262_144
const LOOK_EVERY_MS = 50
const MIB = 1_048_576

/** Prints the time and the memory of one settlement file with many lines, each a sale. */
async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-settlement-'))
  const server = await startTestServer()
  try {
    const url = await server.createDatabase()
    const books = await openBooks(url, 'live')
    await writeOrders(url)
    const path = join(folder, 'file.jsonl')
    await writeFile(path)
    const memory = watchMemory()
    const started = performance.now()
    const outcome = await importFile(
      {
        store: createSettlementImportStore(books.database.files()),
        newSha256: sha256,
        clock: { now: () => new Date('2026-11-20T03:10:00Z') },
        by: 'operator:bench',
        onProgress: () => undefined,
      },
      { name: 'file.jsonl', open: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }) },
      null,
    )
    const seconds = (performance.now() - started) / 1_000
    const grown = memory.stop()
    if (outcome.kind !== 'booked') throw new Error(`The file was not booked: ${outcome.kind}.`)
    const { differences, lines, settled } = outcome.file
    print(`${lines} lines, ${settled} settled, ${differences.size} kinds of differences`)
    print(
      `imported and matched in ${seconds.toFixed(1)} s: ${Math.round(lines / seconds)} a second`,
    )
    print(`memory of the process grew by at most ${grown} MiB`)
    await books.close()
  } finally {
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Orders of one sale each, in the batch of the books. The connection has no time limit, as the
 * gateway's have.
 */
async function writeOrders(url: string): Promise<void> {
  const all = `generate_series(0, ${LINES - 1}) i,
    lateral (select ${FIRST_ID} + i as id, 100 + i % 5000 as minor,
                    '2026-11-19T00:00:00Z'::timestamptz + i * interval '${APART_MS} ms' as at) x`
  const statements = [
    `insert into orders (id, merchant_id, site_id, merchant_account_id, mode, customer_id,
       payment_method_id, kind, state, currency, requested_minor, authorized_minor, captured_minor,
       message_number, message_at, entry_mode, created_at)
     select x.id, 1, 11, 2001, 'live', 1, 1, 'payment', 'authorized', 'EUR', minor, minor, minor,
            x.id, at, '010', at from ${all}`,
    `insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor,
       value_minor, batch_id, created_at, concluded_at)
     select x.id, 1, x.id, 1, 'sale', 'approved', minor, minor, 417, at, at from ${all}`,
    'vacuum analyze orders',
    'vacuum analyze transactions',
  ]
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** One line after the other, so that this process holds no file. */
async function writeFile(path: string): Promise<void> {
  const hash = createHash('sha256')
  await pipeline(function* () {
    for (const text of fileLines(() => hash.copy().digest('hex'))) {
      hash.update(text)
      yield text
    }
  }, createWriteStream(path))
}

function* fileLines(hashSoFar: () => string): Generator<string> {
  yield record({
    r: 'H',
    format: 'tollgate-settlement',
    v: 1,
    file_id: '0192f0c4-7b1e-7c55-9a10-3f6f6d1c0417',
    mode: 'live',
    sender: 'bank-demo',
    receiver: 'gw-01',
    account: 'MA-1042',
    currency: 'EUR',
    seq: 1,
    prev_sha256: '0'.repeat(64),
    business_date: '2026-11-19',
    zone: 'Europe/Berlin',
    created: '2026-11-20T03:00:04Z',
    value_date: '2026-11-20',
    opening: '0.00',
  })
  let gross = 0n
  for (let i = 0; i < LINES; i += 1) {
    const minor = BigInt(100 + (i % 5_000))
    gross += minor
    yield record({
      r: 'L',
      n: i + 1,
      id: `1-${i + 1}`,
      kind: 'sale',
      rrn: retrievalReference({
        number: BigInt(FIRST_ID + i),
        at: new Date(FIRST_AT + i * APART_MS),
      }),
      gross: euros(minor),
      fees: { acquirer: euros(-FEE_MINOR) },
      net: euros(minor - FEE_MINOR),
    })
  }
  const fees = -FEE_MINOR * BigInt(LINES)
  const net = euros(gross + fees)
  yield record({
    r: 'T',
    lines: LINES,
    by_kind: { sale: [LINES, net] },
    gross: euros(gross),
    fees: euros(fees),
    net,
    closing: net,
    sha256: hashSoFar(),
  })
}

function record(fields: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(fields)}\n`
}

function euros(minor: bigint): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0')
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Watches the memory of this process; the end returns its growth in MiB. */
function watchMemory(): { stop(): number } {
  const before = process.memoryUsage.rss()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, LOOK_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return Math.round((most - before) / MIB)
    },
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

await run()
