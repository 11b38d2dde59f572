// Makes the cluster that `npm test` lays under the databases of all tests: <folder>/cluster.
import { startEmbeddedPostgres } from '@tollgate/tollgate'
import { auditMigrations } from '../../packages/gateway/src/adapters/postgres/audit/audit-log.ts'
import {
  migrate,
  readMigrations,
} from '../../packages/gateway/src/adapters/postgres/connection/migrate.ts'
import { MIGRATIONS_FOLDER } from '../../packages/gateway/src/wiring/migrations-folder.ts'
import { operatorActor } from '../../packages/gateway/src/wiring/operator-actor.ts'

const [folder = ''] = process.argv.slice(2)
const server = await startEmbeddedPostgres({ dataDir: folder })
await migrate(server.url, await readMigrations(MIGRATIONS_FOLDER), auditMigrations(operatorActor()))
await server.stop()
