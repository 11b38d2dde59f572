// `npm run schema`: writes migrations/schema.sql from a database that it makes and throws away.
import { startEmbeddedPostgres } from '@tollgate/tollgate'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MIGRATIONS_FOLDER } from '../../packages/gateway/src/wiring/migrations-folder.ts'
import { freshSchema } from './fresh-schema.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-schema-'))
try {
  const server = await startEmbeddedPostgres({ dataDir: folder })
  try {
    writeFileSync(
      join(MIGRATIONS_FOLDER, 'schema.sql'),
      await freshSchema(server.url, MIGRATIONS_FOLDER),
    )
  } finally {
    await server.stop('immediate')
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
