// `npm run schema`: writes migrations/schema.sql and the page of locks from databases that it makes
// and throws away.
import { startEmbeddedPostgres } from '@tollgate/tollgate'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MIGRATIONS_FOLDER } from '../../packages/gateway/src/wiring/migrations-folder.ts'
import { freshLocks, freshSchema } from './fresh-schema.ts'
import { MIGRATIONS_PAGE, migrationsPage } from './migrations-page.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-schema-'))
try {
  const server = await startEmbeddedPostgres({ dataDir: folder })
  try {
    writeFileSync(
      join(MIGRATIONS_FOLDER, 'schema.sql'),
      await freshSchema(server.url, MIGRATIONS_FOLDER),
    )
    const measured = await freshLocks(server.url, MIGRATIONS_FOLDER)
    writeFileSync(join(MIGRATIONS_FOLDER, '..', MIGRATIONS_PAGE), migrationsPage(measured))
  } finally {
    await server.stop('immediate')
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
