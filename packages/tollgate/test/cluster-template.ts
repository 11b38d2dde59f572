import { copyFileSync, cpSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * A cluster with the schema in it that `npm test` makes once for its whole run; not set where a
 * test file is run by itself.
 */
const TEMPLATE = process.env['TOLLGATE_TEST_CLUSTER']

/**
 * Settings for the databases of tests. A commit waits until it is written, but not until it is on
 * the disk. A SIGKILL leaves the system's page cache, so no written data is lost. Only a loss of
 * power would lose it, and no test makes one. `fsync` costs a third of the time of tests with a
 * database.
 */
export const UNSYNCED = { fsync: 'off', full_page_writes: 'off' } as const

/** For tests whose subject is the disk, or the data that only a second server has. */
export const SYNCED = { fsync: 'on', full_page_writes: 'on' } as const

/** The folder for what is synced; a run of the tests may have its other files in memory. */
export function diskFolder(): string {
  return process.env['TOLLGATE_TEST_DISK'] ?? tmpdir()
}

/** Spares a PostgreSQL on a new data folder the creation of its cluster. */
export function layCluster(dataDir: string): void {
  const cluster = join(dataDir, 'cluster')
  if (TEMPLATE === undefined || existsSync(cluster)) return
  // PostgreSQL requires its own user to own the folder; the template's owner may be another.
  if (statSync(TEMPLATE).uid !== process.getuid?.()) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  cpSync(TEMPLATE, cluster, { recursive: true })
}

/** Spares a gateway on a new data folder the creation of its certificate. */
export function layCertificate(dataDir: string): void {
  if (TEMPLATE === undefined) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  for (const name of ['tls-cert.pem', 'tls-key.pem']) {
    copyFileSync(join(dirname(TEMPLATE), name), join(dataDir, name))
  }
}
