// Makes the cluster that `npm test` lays under the databases of all tests: <folder>/cluster.
// It is copied for each of them, so it is kept small. Beside it is the gateways' certificate.
import { startEmbeddedPostgres } from '@tollgate/tollgate'
import { auditMigrations } from '../../packages/gateway/src/adapters/postgres/audit/audit-log.ts'
import {
  migrate,
  readMigrations,
} from '../../packages/gateway/src/adapters/postgres/connection/migrate.ts'
import { selfMadeCertificate } from '../../packages/gateway/src/http/servers/certificate.ts'
import { MIGRATIONS_FOLDER } from '../../packages/gateway/src/wiring/migrations-folder.ts'
import { operatorActor } from '../../packages/gateway/src/wiring/operator-actor.ts'
import { UNSYNCED } from '../../packages/tollgate/test/cluster-template.ts'

const [folder = ''] = process.argv.slice(2)
const server = await startEmbeddedPostgres({
  dataDir: folder,
  // A log segment is a file of its whole size from its first byte on, and 16 MB by default.
  initdbArgs: ['--wal-segsize=1'],
  settings: { ...UNSYNCED, min_wal_size: '2MB', wal_recycle: 'off' },
})
await migrate(server.url, await readMigrations(MIGRATIONS_FOLDER), auditMigrations(operatorActor()))
await server.stop()
await selfMadeCertificate(folder, new Date())
