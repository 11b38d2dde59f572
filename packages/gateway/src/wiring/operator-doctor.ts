import { probeSmtp, SMTP_LIMITS, type SmtpServer } from '../adapters/mail/smtp-post.ts'
import { connectOnce } from '../adapters/postgres/connection/address-ring.ts'
import { reasonOf } from '../adapters/postgres/connection/await-database.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { readMigrations } from '../adapters/postgres/connection/migration-files.ts'
import { readServerFacts, type ServerFacts } from '../adapters/postgres/connection/server-facts.ts'
import { readRetentionPasses } from '../adapters/postgres/retention/retention-store.ts'
import { createCollector } from '../adapters/traces/collector.ts'
import { probeTransit, type TransitFacts } from '../adapters/vault/transit-probe.ts'
import { systemClock } from '../base/clock.ts'
import type { AuditPushConfig, VaultServer } from '../config/derived-config.ts'
import { readCertificatePair, type CertificatePair } from '../http/servers/certificate-pair.ts'
import type { RetentionPass } from '../usecases/retention/retention-store.ts'
import { senderOf } from './audit-push.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'

export type { TransitFacts } from '../adapters/vault/transit-probe.ts'
export type { CertificatePair } from '../http/servers/certificate-pair.ts'
export type { SchemaFacts, ServerFacts } from '../adapters/postgres/connection/server-facts.ts'

export interface DatabaseFacts extends ServerFacts {
  /** The last migration of this program. */
  readonly knownSchema: number
  /** None where the role cannot read them, or no process has started one. */
  readonly retentionPasses: readonly RetentionPass[]
  /** Operators of the console who may sign in; null where the role cannot read them. */
  readonly operators: readonly OperatorAccess[] | null
}

/** The access of an active operator to the console. */
export interface OperatorAccess {
  readonly email: string
  readonly role: string
  /** False for one who was invited, and has not set a password yet. */
  readonly hasPassword: boolean
  readonly hasSecondFactor: boolean
}

export type { RetentionPass } from '../usecases/retention/retention-store.ts'

const SCHEMA_WITH_PASSES = 41
const SCHEMA_WITH_OPERATORS = 59

const OPERATORS = `
select email, role, password_hash is not null as "hasPassword",
       second_factor_ciphertext is not null as "hasSecondFactor"
  from operators where active order by email`

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
    const has = (table: string, since: number): boolean =>
      schema !== null && schema.version >= since && !schema.unreadable.includes(table)
    return {
      ...facts,
      knownSchema: migrations.length,
      retentionPasses: has('retention_passes', SCHEMA_WITH_PASSES)
        ? await readRetentionPasses(client)
        : [],
      operators: has('operators', SCHEMA_WITH_OPERATORS)
        ? (await client.query<OperatorAccess>(OPERATORS)).rows
        : null,
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

const NOTHING = { spans: '{"resourceSpans":[]}', metrics: '{"resourceMetrics":[]}' } as const
const COLLECTOR_TIMEOUT_MS = 5_000

/** Why a collector takes no spans or metrics; null if it does. It gets a request without any. */
export async function probeCollector(
  url: string,
  what: 'spans' | 'metrics',
): Promise<string | null> {
  const collector = createCollector(url, COLLECTOR_TIMEOUT_MS)
  const delivery = await collector.send(NOTHING[what])
  collector.close()
  return delivery.kind === 'accepted' ? null : delivery.reason
}

/** Tries a transit key, and says why it cannot be used. Stores nothing, and shows no token. */
export async function probeVault(server: VaultServer, key: string): Promise<TransitFacts | string> {
  try {
    return await probeTransit(server, key)
  } catch (error) {
    return `${reasonOf(error)}.`
  }
}

/** Why the receiver of the audit log cannot be used; null if it takes an empty batch. */
export async function probeAuditReceiver(receiver: AuditPushConfig): Promise<string | null> {
  try {
    await senderOf(receiver)([])
    return null
  } catch (error) {
    return reasonOf(error)
  }
}
