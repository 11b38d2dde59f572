import { startEmbeddedPostgres } from '@tollgate/tollgate'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { layCluster, UNSYNCED } from '../../../tollgate/test/cluster-template.ts'
import { migrate, readMigrations } from '../../src/adapters/postgres/connection/migrate.ts'
import { MIGRATIONS_FOLDER } from '../../src/wiring/migrations-folder.ts'

/**
 * A real PostgreSQL for one test file; each test that wants one gets a database of its own.
 */
export interface TestServer {
  /** The address of a new database without any table. */
  createEmptyDatabase(): Promise<string>
  /** The address of a new database with the schema, and without any row of ours. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/**
 * The address of a server that all files of one `npm test` share; not set where a file is run by
 * itself. Anything outside a database of one's own (a role, a setting of the server) is shared.
 */
const SHARED_SERVER = process.env['TOLLGATE_TEST_SERVER']

/** Made by the first that needs it, and copied from then on: the schema is 21 migrations. */
const SCHEMA = 'schema_only'
/** Any number that no other program locks. */
const SCHEMA_LOCK = 4_140_002

export async function startTestServer(): Promise<TestServer> {
  return SHARED_SERVER === undefined ? startOwnServer() : useServer(SHARED_SERVER)
}

async function startOwnServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  layCluster(folder)
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: UNSYNCED })
  return {
    ...useServer(server.url),
    async stop() {
      await server.stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function useServer(serverUrl: string): TestServer {
  const made: string[] = []
  const create = async (template: string): Promise<string> => {
    const name = `test_${randomBytes(8).toString('hex')}`
    await asOwner(serverUrl, (client) =>
      client.query(`create database ${name} template ${template}`),
    )
    made.push(name)
    return addressOf(serverUrl, name)
  }
  return {
    createEmptyDatabase: () => create('template1'),
    async createDatabase() {
      await ensureSchema(serverUrl)
      return create(SCHEMA)
    },
    stop: () =>
      asOwner(serverUrl, async (client) => {
        for (const name of made) await drop(client, name)
      }),
  }
}

const OBJECT_IN_USE = '55006'

/**
 * A pool has ended before its connections are closed, and one that is broken off then throws where
 * nothing catches it. PostgreSQL waits five seconds for them; what is open after that is left over.
 */
async function drop(client: pg.Client, name: string): Promise<void> {
  try {
    await client.query(`drop database ${name}`)
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== OBJECT_IN_USE) throw error
    await client.query(`drop database ${name} with (force)`)
  }
}

async function ensureSchema(serverUrl: string): Promise<void> {
  await asOwner(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [SCHEMA_LOCK])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [SCHEMA])
    if (rowCount === 1) return
    const draft = `${SCHEMA}_draft`
    await client.query(`drop database if exists ${draft}`)
    await client.query(`create database ${draft}`)
    await migrate(addressOf(serverUrl, draft), await readMigrations(MIGRATIONS_FOLDER))
    await client.query(`alter database ${draft} rename to ${SCHEMA}`)
  })
}

async function asOwner(
  serverUrl: string,
  work: (client: pg.Client) => Promise<unknown>,
): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

function addressOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
