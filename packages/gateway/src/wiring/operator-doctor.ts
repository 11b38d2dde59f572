import { probeSmtp, SMTP_LIMITS, type SmtpServer } from '../adapters/mail/smtp-post.ts'
import { connectOnce } from '../adapters/postgres/connection/address-ring.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { readMigrations } from '../adapters/postgres/connection/migration-files.ts'
import { readServerFacts, type ServerFacts } from '../adapters/postgres/connection/server-facts.ts'
import { readRetentionPasses } from '../adapters/postgres/retention/retention-store.ts'
import { systemClock } from '../base/clock.ts'
import { readCertificatePair, type CertificatePair } from '../http/servers/certificate-pair.ts'
import type { RetentionPass } from '../usecases/retention/retention-store.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'

export type { CertificatePair } from '../http/servers/certificate-pair.ts'
export type { SchemaFacts, ServerFacts } from '../adapters/postgres/connection/server-facts.ts'

export interface DatabaseFacts extends ServerFacts {
  /** The last migration of this program. */
  readonly knownSchema: number
  /** None where the role cannot read them, or no process has started one. */
  readonly retentionPasses: readonly RetentionPass[]
}

export type { RetentionPass } from '../usecases/retention/retention-store.ts'

const SCHEMA_WITH_PASSES = 41

/** Connects to the server that accepts writes, and reads what `tollgate doctor` judges. */
export async function readDatabaseFacts(address: DatabaseAddress): Promise<DatabaseFacts> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  const client = await connectOnce(address, {
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    application_name: 'tollgate doctor',
  })
  try {
    const facts = await readServerFacts(client, systemClock)
    const { schema } = facts
    const hasPasses =
      schema !== null &&
      schema.version >= SCHEMA_WITH_PASSES &&
      !schema.unreadable.includes('retention_passes')
    return {
      ...facts,
      knownSchema: migrations.length,
      retentionPasses: hasPasses ? await readRetentionPasses(client) : [],
    }
  } finally {
    await client.end()
  }
}

/** A certificate and its key, judged as of `at`. */
export async function inspectCertificate(
  files: Parameters<typeof readCertificatePair>[0],
): Promise<{ readonly pair: CertificatePair; readonly at: Date }> {
  const at = systemClock.now()
  return { pair: await readCertificatePair(files, at), at }
}

/** Why the mail server cannot be used; null if it can. Nothing is sent. */
export function probeMailServer(server: SmtpServer): Promise<string | null> {
  return probeSmtp(server, SMTP_LIMITS)
}
