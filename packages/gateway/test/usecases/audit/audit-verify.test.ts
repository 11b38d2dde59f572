import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { appendAudit } from '../../../src/adapters/postgres/audit/audit-log.ts'
import { GENESIS } from '../../../src/usecases/audit/audit-chain.ts'
import {
  verifyAudit,
  type AuditHead,
  type AuditVerdict,
} from '../../../src/wiring/operator-audit.ts'
import { startTestServer, type TestServer } from '../../support/database.ts'

let server: TestServer
let admin: pg.Client
/** A log of nine entries that the tests copy. */
let original: string
let made = 0
before(async () => {
  server = await startTestServer()
  original = await server.createDatabase()
  await withClient(original, async (client) => {
    for (let number = 1; number <= 9; number += 1) {
      const actor = number === 4 ? 'operator:Zoë 🔑@host' : 'operator:a@host'
      const object = `account ${number}`
      await appendAudit(client, [
        {
          actor,
          operation: 'account.put',
          object,
          merchantId: 7n,
          result: 'done',
          details: { after: 'ü' },
        },
      ])
    }
  })
  admin = new pg.Client({ connectionString: await server.createEmptyDatabase() })
  await admin.connect()
})
after(async () => {
  await admin.end()
  await server.stop()
})

async function withClient(
  url: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

interface Log {
  readonly url: string
  readonly heads: readonly AuditHead[]
}

/** A log of nine entries, changed by statements of the database's owner that no trigger sees. */
async function logChangedBy(...statements: readonly string[]): Promise<Log> {
  made += 1
  const name = `tampered_${made}`
  const url = new URL(original)
  await admin.query(`create database ${name} template ${url.pathname.slice(1)}`)
  url.pathname = `/${name}`
  const heads: AuditHead[] = []
  await withClient(url.href, async (client) => {
    const { rows } = await client.query<{ number: string; hash: string }>(
      `select number, encode(hash, 'hex') as hash from audit_entries order by number`,
    )
    for (const { number, hash } of rows) heads.push({ number: BigInt(number), hash })
    await client.query('set session_replication_role = replica')
    for (const statement of statements) await client.query(statement)
  })
  return { url: url.href, heads }
}

function verify({ url }: Log, noted: readonly AuditHead[] = [], from = 1n): Promise<AuditVerdict> {
  return verifyAudit(url, { from, noted })
}

/** Sets the hash of every entry from a number on, as if it were the real one. */
const rehashFrom = (number: number): string => `
  do $$ declare e audit_entries; before bytea; begin
    for e in select * from audit_entries where number >= ${number} order by number loop
      select hash into before from audit_entries where number = e.number - 1;
      e.previous_hash := coalesce(before, sha256('tollgate audit log'));
      update audit_entries set previous_hash = e.previous_hash, hash = audit_hash(e) where number = e.number;
    end loop;
    update audit_head set (number, hash) = (select number, hash from audit_entries order by number desc limit 1);
  end $$`

test('an untouched log is whole, from its start, from an entry on, and with noted heads', async () => {
  const log = await logChangedBy()
  const [, , third, , , , , , ninth] = log.heads
  assert.ok(third !== undefined && ninth !== undefined)

  const whole = await verify(log, [third, ninth])
  const part = await verify(log, [third], 4n)

  assert.deepEqual([whole.fault, whole.count, whole.last?.hash], [null, 9, ninth.hash])
  // Its own check is the tenth entry by then.
  assert.deepEqual([part.fault, part.count, part.last?.number], [null, 7, 10n])
  assert.equal(whole.unrecorded, null)
  assert.equal(GENESIS.hash, createHash('sha256').update('tollgate audit log').digest('hex'))
})

for (const [column, value] of Object.entries({
  at: `at + interval '1 microsecond'`,
  actor: `'operator:b@host'`,
  operation: `'link.put'`,
  object: `'account 55'`,
  merchant_id: '8',
  address: `'10.0.0.1'`,
  result: `'refused'`,
  details: `'{"after": "ü" }'`,
  hash: `sha256('x')`,
})) {
  test(`a changed ${column} shows`, async () => {
    const log = await logChangedBy(`update audit_entries set ${column} = ${value} where number = 5`)
    const verdict = await verify(log)
    assert.match(verdict.fault ?? '', /^Entry 5 was changed/)
    assert.equal(verdict.last?.number, 4n)
  })
}

test('a text that moved from one field to the next is found', async () => {
  const log = await logChangedBy(
    `update audit_entries set object = 'account', address = ' 5' where number = 5`,
  )
  assert.match((await verify(log)).fault ?? '', /^Entry 5 was changed/)
})

test('a removed entry is found, at the start, in the middle and at the end', async () => {
  const first = await logChangedBy('delete from audit_entries where number = 1')
  const middle = await logChangedBy('delete from audit_entries where number in (5, 6)')
  const last = await logChangedBy('delete from audit_entries where number = 9')

  assert.match((await verify(first)).fault ?? '', /^Entry 1 is missing/)
  assert.match((await verify(middle)).fault ?? '', /^Entries 5 to 6 are missing/)
  assert.match(
    (await verify(last)).fault ?? '',
    /^The head says that the log ends with entry 9, but/,
  )
})

test('a tail removed with its head is found by a head noted before, and only by that', async () => {
  const log = await logChangedBy('delete from audit_entries where number > 7', rehashFrom(8))
  const noted = log.heads.slice(-1)

  assert.match(
    (await verify(log, noted)).fault ?? '',
    /^Entry 9 was noted, but the log ends with 7/,
  )
  assert.equal((await verify(log)).fault, null)
})

test('a removed entry is found in a renumbered log', async () => {
  const log = await logChangedBy(
    'delete from audit_entries where number = 5',
    'update audit_entries set number = number - 1 where number > 5',
    'update audit_head set number = 8',
  )
  assert.match((await verify(log)).fault ?? '', /^Entry 5 does not follow from entry 4/)
})

test('two swapped entries are found', async () => {
  const log = await logChangedBy(
    'update audit_entries set number = -5 where number = 5',
    'update audit_entries set number = 5 where number = 6',
    'update audit_entries set number = 6 where number = -5',
  )
  assert.match((await verify(log)).fault ?? '', /^Entry 5 does not follow from entry 4/)
})

test('an inserted entry is found, in front, in between and after the end', async () => {
  const insert = (number: string): string =>
    `insert into audit_entries (number, at, actor, operation, result, previous_hash, hash)
     select ${number}, now(), 'operator:a@host', 'link.put', 'done', hash, sha256('new')
       from audit_entries where number = 5`
  const front = await logChangedBy(insert('0'))
  const between = await logChangedBy(
    'update audit_entries set number = -number where number > 5',
    'update audit_entries set number = 1 - number where number < 0',
    insert('6'),
  )
  const end = await logChangedBy(insert('10'))

  assert.match((await verify(front)).fault ?? '', /^Entry 0 comes again, or has no place there/)
  assert.match((await verify(between)).fault ?? '', /^Entry 6 was changed/)
  assert.match((await verify(end)).fault ?? '', /^Entry 10 does not follow from entry 9/)
})

test('a forged entry with right hashes after the end is found by the head', async () => {
  const log = await logChangedBy(
    `insert into audit_entries (number, at, actor, operation, result, previous_hash, hash)
     select 10, now(), 'operator:a@host', 'link.put', 'done', hash, sha256('new')
       from audit_entries where number = 9`,
    `update audit_entries e set hash = audit_hash(e) where number = 10`,
  )
  assert.match(
    (await verify(log)).fault ?? '',
    /^The head says that the log ends with 9:.*put in\.$/,
  )
})

test('a changed or removed head is found, and an unrecorded check is reported', async () => {
  const changed = await logChangedBy(`update audit_head set hash = sha256('x')`)
  const back = await logChangedBy('update audit_head set number = 5')
  const removed = await logChangedBy('delete from audit_head')

  assert.match(
    (await verify(changed)).fault ?? '',
    /^The head says that the log ends with 9:.* but the last entry is 9:/,
  )
  const verdict = await verify(back)
  assert.match(verdict.fault ?? '', /^The head says that the log ends with 5:/)
  assert.match(verdict.unrecorded ?? '', /could not be written into it \(the log is damaged\)/)
  assert.match((await verify(removed)).fault ?? '', /^The head of the log is missing/)
})

test('a log rewritten with right hashes is found by a head noted before, and only by that', async () => {
  const log = await logChangedBy(
    `update audit_entries set actor = 'operator:b@host' where number = 5`,
    rehashFrom(5),
  )
  const [, , , , fifth, , seventh] = log.heads
  assert.ok(fifth !== undefined && seventh !== undefined)

  assert.match((await verify(log, [seventh])).fault ?? '', /^Entry 7 is not the one that was noted/)
  assert.match(
    (await verify(log, [fifth], 6n)).fault ?? '',
    /^Entry 6 does not follow from entry 5/,
  )
  assert.equal((await verify(log)).fault, null)
})

test('a clock that was set back is reported and breaks nothing', async () => {
  const log = await logChangedBy(
    `update audit_entries set at = at - interval '1 hour' where number >= 6`,
    rehashFrom(6),
  )
  const verdict = await verify(log)
  assert.deepEqual([verdict.fault, verdict.clockSetBack], [null, { count: 1, first: 6n }])
})

test('a finding is itself on record', async () => {
  const log = await logChangedBy(`update audit_entries set actor = 'x' where number = 5`)
  await verify(log)
  await withClient(log.url, async (client) => {
    const { rows } = await client.query(
      'select number, operation, object, result, details::json as details from audit_entries where number > 9',
    )
    assert.deepEqual(rows, [
      {
        number: '10',
        operation: 'audit.read',
        object: 'entries from 1',
        result: 'failed',
        details: {
          command: 'verify',
          checked: 4,
          found: 'Entry 5 was changed: its contents do not have the hash that it was given.',
          noted: [],
        },
      },
    ])
  })
})
