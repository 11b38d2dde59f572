import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test, type TestContext } from 'node:test'
import pg from 'pg'
import { eventually } from '../../../../../../test/support/eventually.ts'
import {
  migrate,
  type MigrateOptions,
} from '../../../../src/adapters/postgres/connection/migrate.ts'
import {
  readHeader,
  type Migration,
} from '../../../../src/adapters/postgres/connection/migration-files.ts'
import {
  assertSchemaFits,
  readSchemaState,
} from '../../../../src/adapters/postgres/connection/schema-fit.ts'
import { grantServing } from '../../../../src/adapters/postgres/connection/serving-roles.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'

let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.stop())

/** A schema with one table, as programs find it that know migration 1. */
const FIRST = migration(
  1,
  `alter table schema_migrations add column runs_beside integer;
   create table paid (id bigint generated always as identity primary key, amount bigint);
   insert into paid (amount) values (1), (2)`,
)
const COLUMN = migration(2, 'alter table paid add column note text', {
  locks: 'paid, access exclusive, milliseconds',
})
const INDEX = migration(2, 'create unique index concurrently paid_amount on paid (amount)', {
  locks: 'paid, share update exclusive, reads the table',
  transaction: 'none',
})

function migration(
  number: number,
  sql: string,
  { locks = 'none', transaction = '', beside = 1 } = {},
): Migration {
  const head = [
    `-- Locks: ${locks}`,
    `-- Runs beside: ${String(beside).padStart(4, '0')}`,
    ...(transaction === '' ? [] : [`-- Transaction: ${transaction}`]),
  ]
  const text = `${head.join('\n')}\n${sql};\n`
  const name = `000${number}_test.sql`
  return { number, name, sql: text, header: readHeader(name, number, text) }
}

interface Place {
  readonly url: string
  /** A connection of its own. */
  connect(): Promise<pg.Client & { pid: number }>
  /** The lines of all migrations so far. */
  readonly lines: string[]
  migrate(migrations: readonly Migration[], options?: MigrateOptions): Promise<string[]>
}

async function place(t: TestContext): Promise<Place> {
  const url = await server.createEmptyDatabase()
  const lines: string[] = []
  const report = (line: string): void => void lines.push(line)
  await migrate(url, [FIRST])
  return {
    url,
    lines,
    async connect() {
      const client = new pg.Client({ connectionString: url, application_name: 'a report' })
      await client.connect()
      t.after(() => client.end())
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
      return Object.assign(client, { pid: rows[0]?.pid ?? 0 })
    },
    migrate: (migrations, options) => migrate(url, migrations, { report, ...options }),
  }
}

async function indexState(client: pg.Client): Promise<boolean | null> {
  const { rows } = await client.query<{ valid: boolean }>(
    `select indisvalid as valid from pg_index where indexrelid = to_regclass('paid_amount')`,
  )
  return rows[0]?.valid ?? null
}

test('a migration lets payments pass while a transaction holds its table, and names that transaction', async (t) => {
  const { connect, lines, migrate } = await place(t)
  const [reader, payer] = [await connect(), await connect()]
  await reader.query('begin; select count(*) from paid')

  const limits = { lockMs: 50, tries: 100_000, pauseMs: 50 }
  const ran = migrate([FIRST, COLUMN], { limits })
  await eventually('the third try', () => lines.filter((line) => /not free/.test(line)).length > 2)
  await payer.query('insert into paid (amount) values (3)')
  assert.match(
    lines.join('\n'),
    new RegExp(
      `not free within 50 ms; nothing is locked now.*process ${reader.pid} \\(a report\\)`,
    ),
  )
  await reader.query('commit')

  assert.deepEqual(await ran, [COLUMN.name])
})

test('a migration that never gets its lock leaves everything as before, and says what holds it', async (t) => {
  const { connect, migrate } = await place(t)
  const reader = await connect()
  await reader.query('begin; select count(*) from paid')
  const further = migration(2, 'create table more ()')
  const late = { ...COLUMN, number: 3, name: '0003_late.sql' }

  await assert.rejects(
    migrate([FIRST, further, late], { limits: { lockMs: 20, tries: 2, pauseMs: 1 } }),
    new RegExp(
      `0003_late.sql failed: .*lock timeout.*process ${reader.pid} .*Nothing of it was applied. ` +
        'Applied before it: 0002_test.sql. Running nodes serve on',
    ),
  )

  await reader.query('commit')
  assert.deepEqual(await readSchemaState(reader), { version: 2, oldestProgram: 1 })
  const { rows } = await reader.query(
    `select from pg_attribute where attrelid = 'paid'::regclass and attname = 'note'`,
  )
  assert.equal(rows.length, 0)
})

test('an index is built while its table is written to, and another migration waits outside of it', async (t) => {
  const { connect, lines, migrate } = await place(t)
  const [holder, payer] = [await connect(), await connect()]
  await holder.query('begin; insert into paid (amount) values (3)')

  const first = migrate([FIRST, INDEX])
  await eventually('the build waits', () =>
    lines.some((line) => line.includes(`waits for the transaction of process ${holder.pid}`)),
  )
  const second = migrate([FIRST, INDEX])
  await eventually('the other waits', () => lines.some((line) => /for another migr/.test(line)))
  await payer.query('insert into paid (amount) values (4)')
  await holder.query('commit')

  assert.deepEqual((await Promise.all([first, second])).flat(), [INDEX.name])
  assert.equal(await indexState(payer), true)
})

test('a build that fails leaves no index, and one that was interrupted is built again', async (t) => {
  const { connect, lines, migrate } = await place(t)
  const client = await connect()
  await client.query('insert into paid (amount) values (2)')

  await assert.rejects(migrate([FIRST, INDEX]), /could not create unique index.*run `tollgate migr/)
  assert.equal(await indexState(client), null)

  // The same failure without the program is what a lost connection leaves.
  await assert.rejects(
    client.query('create unique index concurrently paid_amount on paid (amount)'),
  )
  assert.equal(await indexState(client), false)
  await client.query('delete from paid where id = 3')
  assert.deepEqual(await migrate([FIRST, INDEX]), [INDEX.name])
  assert.equal(await indexState(client), true)
  assert.match(lines.join('\n'), /paid_amount was left invalid by an earlier run/)
})

test('an index that was built by a run that ended before its record is kept', async (t) => {
  const { connect, lines, migrate } = await place(t)
  const client = await connect()
  await client.query('create unique index paid_amount on paid (amount)')

  assert.deepEqual(await migrate([FIRST, INDEX]), [INDEX.name])
  assert.match(lines.join('\n'), /paid_amount is there already/)
})

test('a program runs on a newer schema that keeps it, and refuses one that left it behind', async (t) => {
  const { connect, migrate } = await place(t)
  const client = await connect()
  await migrate([FIRST, COLUMN])
  await assertSchemaFits(client, 1)
  assert.deepEqual(await migrate([FIRST]), [])

  const dropped = migration(3, 'alter table paid drop column amount', { beside: 2 })
  await migrate([FIRST, COLUMN, dropped])
  await assert.rejects(assertSchemaFits(client, 1), /programs from schema 2 on.*up to 1\. Start/)
  await assertSchemaFits(client, 2)
  await assert.rejects(assertSchemaFits(client, 4), /has schema 3.*needs schema 4. Run `tollgate/)
})

test('a migration that stops running programs is refused whole until the nodes are stopped', async (t) => {
  const { connect, migrate } = await place(t)
  const client = await connect()
  const stops = migration(3, 'alter table paid drop column amount', { beside: 2 })

  await assert.rejects(
    migrate([FIRST, COLUMN, stops], { besideNodes: true }),
    /Programs of schema 1 cannot run on after migration 0003_test.sql.*--nodes-stopped/,
  )
  assert.equal((await readSchemaState(client)).version, 1)
  await migrate([FIRST, COLUMN, stops])
  assert.deepEqual(await readSchemaState(client), { version: 3, oldestProgram: 2 })
})

test('a serving role gets rights on new tables with their migration, and none that was taken away', async (t) => {
  const { connect, migrate, url } = await place(t)
  const owner = await connect()
  const role = `serving_${randomBytes(4).toString('hex')}`
  // Roles belong to the server, which other files may share.
  t.after(() => dropRole(url, role))
  await owner.query(`create role ${role};
    create table audit_entries (operation text); create table audit_head ()`)
  await grantServing(owner, role)
  await owner.query(`revoke delete on paid from ${role}`)

  await migrate([FIRST, migration(2, 'create table more (id bigint generated always as identity)')])

  const rights = async (table: string): Promise<string> => {
    const { rows } = await owner.query<{ list: string }>(
      `select string_agg(lower(privilege_type), ' ' order by privilege_type) as list
         from pg_class c, aclexplode(relacl) a
        where c.oid = $1::regclass and a.grantee = $2::regrole`,
      [table, role],
    )
    return rows[0]?.list ?? ''
  }
  assert.equal(await rights('more'), 'delete insert select update')
  assert.equal(await rights('more_id_seq'), 'select usage')
  assert.equal(await rights('paid'), 'insert select update')
  assert.equal(await rights('audit_entries'), 'insert select')
  assert.equal(await rights('schema_migrations'), 'select')
})

async function dropRole(url: string, role: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`drop owned by ${role}; drop role ${role}`)
  await client.end()
}
