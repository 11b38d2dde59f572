import { copyFileSync, cpSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * A cluster with the schema in it that `npm test` makes once for its whole run; not set where a
 * test file is run by itself.
 */
const TEMPLATE = process.env['TOLLGATE_TEST_CLUSTER']

/** Beside the template: a sandbox's data folder, whose cluster has data keys and merchants. */
export const PREPARED = 'prepared'

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
  if (TEMPLATE === undefined || existsSync(join(dataDir, 'cluster'))) return
  layCopy(TEMPLATE, dataDir)
}

/**
 * Lays a cluster that is prepared for a sandbox: it has data keys and the demo merchants. To hash
 * the four passwords of these computes longer than the copy takes.
 * @param keyFile gets the key-encrypting key of the data keys, unless it is there
 */
export function layPreparedCluster(dataDir: string, keyFile: string): void {
  if (TEMPLATE === undefined || existsSync(join(dataDir, 'cluster')) || existsSync(keyFile)) return
  const prepared = join(dirname(TEMPLATE), PREPARED)
  if (!layCopy(join(prepared, 'cluster'), dataDir)) return
  mkdirSync(dirname(keyFile), { recursive: true, mode: 0o700 })
  copyFileSync(join(prepared, 'keys', 'vault.key'), keyFile)
}

/** Returns false when PostgreSQL would not take the copy: another user owns the template. */
function layCopy(template: string, dataDir: string): boolean {
  if (statSync(template).uid !== process.getuid?.()) return false
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  cpSync(template, join(dataDir, 'cluster'), { recursive: true })
  return true
}

/** Spares a gateway on a new data folder the creation of its certificate. */
export function layCertificate(dataDir: string): void {
  if (TEMPLATE === undefined) return
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  for (const name of ['tls-cert.pem', 'tls-key.pem']) {
    copyFileSync(join(dirname(TEMPLATE), name), join(dataDir, name))
  }
}
