import type { DatabaseAddress } from '@tollgate/gateway'
import {
  BankBooksError,
  bankSecretOf,
  noBankBooks,
  readControlAddress,
  reconcileBooks,
  verifyBooks,
} from '@tollgate/gateway/books'
import { describeConfig, type GatewayConfig } from '@tollgate/gateway/config'
import { verifyAudit } from '@tollgate/gateway/operator-audit'
import {
  readCertificateEvidence,
  readEvidenceRows,
  readRetentionEvidence,
  type EvidenceSubject,
} from '@tollgate/gateway/operator-evidence'
import { join } from 'node:path'
import { examine } from '../doctor/examine.ts'
import { readVersion } from '../version.ts'

/** The place that all parts are read from. */
export interface EvidenceSource {
  readonly config: GatewayConfig
  readonly databaseUrl: DatabaseAddress
  readonly env: Readonly<Record<string, string | undefined>>
}

interface EvidencePart {
  /** One line, for the list and the documentation. */
  readonly title: string
  /** Anything that JSON can write. */
  read(source: EvidenceSource): Promise<unknown>
}

const rows =
  (subject: EvidenceSubject): EvidencePart['read'] =>
  ({ databaseUrl }) =>
    readEvidenceRows(databaseUrl, subject)

/** The parts of a bundle, in their sequence. A new one is a row here, and in docs/pci-dss.md. */
export const EVIDENCE_PARTS = {
  versions: {
    title: 'versions of the program, of Node and of the operating system',
    read: ({ config }) =>
      Promise.resolve({
        tollgate: readVersion(),
        node: process.versions.node,
        openssl: process.versions.openssl,
        system: `${process.platform} ${process.arch}`,
        mode: config.mode,
      }),
  },
  settings: {
    title: 'all settings in force, with secrets masked',
    read: ({ config }) => Promise.resolve(describeConfig(config)),
  },
  doctor: {
    title: 'the findings of "tollgate doctor"',
    read: ({ env }) => examine(env, []),
  },
  schema: { title: 'applied migrations, with their times', read: rows('schema') },
  merchants: { title: 'merchants, with the number of their sites', read: rows('merchants') },
  operators: { title: 'operators of the console, with roles', read: rows('operators') },
  portal_users: { title: 'portal users of all merchants, with roles', read: rows('portal_users') },
  api_users: { title: 'API users, with the ages of their passwords', read: rows('api_users') },
  keys: { title: 'data keys, with states and ages', read: rows('keys') },
  certificates: {
    title: 'certificates of this gateway and of processor links, with their ends',
    read: ({ config, databaseUrl }) =>
      readCertificateEvidence(databaseUrl, config.tls?.certFile ?? null),
  },
  retention: {
    title: 'days of each kind of data, with the last whole pass',
    read: ({ config, databaseUrl }) => readRetentionEvidence(databaseUrl, config.retention),
  },
  verify: {
    title: 'the rules of the database, with what breaks them',
    read: async ({ config, databaseUrl }) => {
      const { bankTimeoutMs, dataDir } = config
      const results = await verifyBooks(databaseUrl, { bankTimeoutMs, dataDir })
      return {
        holds: results.every(({ count, isWarning }) => count === 0 || isWarning),
        rules: results.map(({ name, sentence, count }) => ({ name, sentence, count })),
      }
    },
  },
  recon: { title: "the comparison with the bundled bank's books", read: readRecon },
  audit: {
    title: 'the check of the whole audit log, and its head',
    read: async ({ databaseUrl }) => {
      const { fault, count, last } = await verifyAudit(databaseUrl, { from: 1n, noted: [] })
      const head = last === null ? null : { number: last.number, hash: last.hash, at: last.at }
      return { isWhole: fault === null, fault, entries: count, head }
    },
  },
} as const satisfies Readonly<Record<string, EvidencePart>>

export type EvidencePartName = keyof typeof EVIDENCE_PARTS

export const EVIDENCE_PART_NAMES = Object.keys(EVIDENCE_PARTS) as readonly EvidencePartName[]

export function isEvidencePart(name: string): name is EvidencePartName {
  return Object.hasOwn(EVIDENCE_PARTS, name)
}

/** Without the books of a bank the reason is the evidence. */
async function readRecon({ config, databaseUrl }: EvidenceSource): Promise<unknown> {
  const missing = noBankBooks(config)
  if (missing !== null) return { compared: false, reason: missing }
  try {
    const { differences, totals } = await reconcileBooks(databaseUrl, {
      controlUrl: readControlAddress(join(config.dataDir, 'bank', 'control-address')),
      readSecret: bankSecretOf(config),
      merchantId: null,
    })
    return {
      compared: true,
      agrees: differences.length === 0,
      differences: differences.length,
      totals,
    }
  } catch (error) {
    if (!(error instanceof BankBooksError)) throw error
    return { compared: false, reason: error.message }
  }
}
