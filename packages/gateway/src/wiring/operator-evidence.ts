import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { appendAudit } from '../adapters/postgres/audit/audit-log.ts'
import {
  readEvidence,
  readLinkCertificates,
  type EvidenceRows,
  type EvidenceSubject,
} from '../adapters/postgres/audit/evidence-facts.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { readRetentionPasses } from '../adapters/postgres/retention/retention-store.ts'
import { maskText } from '../base/card-masking.ts'
import type { RetentionDays } from '../domain/retention/retention-kinds.ts'
import { withConnection } from './books-connection.ts'
import { operatorActor } from './operator-actor.ts'

export type { EvidenceRows, EvidenceSubject } from '../adapters/postgres/audit/evidence-facts.ts'

/** Rows about a subject, for an assessor. */
export function readEvidenceRows(
  databaseUrl: DatabaseAddress,
  subject: EvidenceSubject,
): Promise<EvidenceRows> {
  return withConnection(databaseUrl, (client) => readEvidence(client, subject))
}

/** Each kind of retention, with its days and its last whole pass. */
export function readRetentionEvidence(
  databaseUrl: DatabaseAddress,
  days: RetentionDays,
): Promise<EvidenceRows> {
  return withConnection(databaseUrl, async (client) => {
    const passes = await readRetentionPasses(client)
    return Object.entries(days).map(([kind, kept]) => {
      const pass = passes.find((each) => each.kind === kind)
      return { kind, days: kept, lastPassEndedAt: pass?.endedAt ?? null }
    })
  })
}

/**
 * Names and ends of the certificates of this gateway and of its processor links. A file that
 * cannot be read is in the evidence with the reason.
 */
export async function readCertificateEvidence(
  databaseUrl: DatabaseAddress,
  certFile: string | null,
): Promise<EvidenceRows> {
  const own = certFile === null ? [] : [readOwnCertificate(certFile)]
  const links = await withConnection(databaseUrl, readLinkCertificates)
  return [...own, ...links.map(({ link, pem }) => ({ link, ...factsOf(pem) }))]
}

function readOwnCertificate(certFile: string): Readonly<Record<string, unknown>> {
  try {
    return { link: null, ...factsOf(readFileSync(certFile, 'utf8')) }
  } catch (error) {
    return { link: null, problem: error instanceof Error ? error.message : String(error) }
  }
}

function factsOf(pem: string) {
  const { subject, validTo, fingerprint256 } = new X509Certificate(pem)
  return { subject, validTo: new Date(validTo), fingerprint256 }
}

/** Puts the digest of a bundle into the audit log, which proves later that it is unchanged. */
export function recordEvidence(
  databaseUrl: DatabaseAddress,
  bundle: { readonly sha256: string; readonly parts: number },
): Promise<void> {
  return withConnection(databaseUrl, (client) =>
    appendAudit(client, [
      {
        actor: operatorActor(),
        operation: 'evidence.written',
        object: 'evidence',
        address: '',
        result: 'done',
        details: bundle,
      },
    ]),
  )
}

/** A SHA-256 in JSON. Its digits may look like a card number, and a masked one proves nothing. */
const DIGEST = /("(?=[0-9a-f]*[a-f])[0-9a-f]{64}")/

/** Masks card numbers that a user typed into any text of a bundle, and leaves digests whole. */
export function maskEvidence(text: string): string {
  return text
    .split(DIGEST)
    .map((part, at) => (at % 2 === 1 ? part : maskText(part)))
    .join('')
}
