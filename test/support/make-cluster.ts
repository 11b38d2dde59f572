// Makes the clusters that `npm test` lays under the databases of all tests. <folder>/cluster has the
// schema. <folder>/prepared/cluster has a sandbox's keys and merchants as well. They are copied for
// each test, so they are kept small. Beside is the gateways' certificate.
import { startEmbeddedPostgres } from '@tollgate/tollgate'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { auditMigrations } from '../../packages/gateway/src/adapters/postgres/audit/audit-log.ts'
import {
  migrate,
  readMigrations,
} from '../../packages/gateway/src/adapters/postgres/connection/migrate.ts'
import {
  createSandboxVaultKey,
  readVaultKeyFile,
} from '../../packages/gateway/src/config/config.ts'
import { SANDBOX } from '../../packages/gateway/src/config/sandbox-credentials.ts'
import { selfMadeCertificate } from '../../packages/gateway/src/http/servers/certificate.ts'
import { MIGRATIONS_FOLDER } from '../../packages/gateway/src/wiring/migrations-folder.ts'
import { operatorActor } from '../../packages/gateway/src/wiring/operator-actor.ts'
import { prepareDatabase } from '../../packages/gateway/src/wiring/prepare-database.ts'
import { PREPARED, UNSYNCED } from '../../packages/tollgate/test/cluster-template.ts'
import { cheapHash } from './cheap-hash.ts'

const [folder = ''] = process.argv.slice(2)
// A log segment is a file of its whole size from its first byte on, and 16 MB by default.
const initdbArgs = ['--wal-segsize=1']
const settings = { ...UNSYNCED, min_wal_size: '2MB', wal_recycle: 'off' }
const server = await startEmbeddedPostgres({ dataDir: folder, initdbArgs, settings })
await migrate(server.url, await readMigrations(MIGRATIONS_FOLDER), {
  onApplied: auditMigrations(operatorActor()),
})
// A quarter of a cluster's files, for databases that differ from the default. Tests make none.
await query(server.url, `update pg_database set datistemplate = false where datname = 'template0'`)
await query(server.url, 'drop database template0')
await server.stop()
await selfMadeCertificate(folder, new Date())

/** The published passwords that most tests log in with, at a cost that is right for tests alone. */
const CHEAPEN = `
with api as (
  update api_user_passwords set hash = $1
   where user_id = (select id from api_users where username = '${SANDBOX.apiUser}'))
update portal_users set password_hash = $2, published_password_hash = $2`

const dataDir = join(folder, PREPARED)
cpSync(join(folder, 'cluster'), join(dataDir, 'cluster'), { recursive: true })
const keyFile = join(dataDir, 'keys', 'vault.key')
createSandboxVaultKey(keyFile)
const found = readVaultKeyFile(keyFile)
if (found.kind !== 'key') throw new Error('The key that was just made cannot be read.')
const preparing = await startEmbeddedPostgres({ dataDir, settings })
await prepareDatabase({ databaseUrl: preparing.url, vaultKey: found.key, sandbox: true })
await query(preparing.url, CHEAPEN, [
  await cheapHash(SANDBOX.apiPassword),
  await cheapHash(SANDBOX.portalPassword),
])
await preparing.stop()

async function query(url: string, sql: string, values: readonly string[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql, [...values])
  } finally {
    await client.end()
  }
}
