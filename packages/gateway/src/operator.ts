import { readAccountFile } from './adapters/operator-files/account-file.ts'
import { readLinkFile } from './adapters/operator-files/link-file.ts'
import { putAccount, setSiteMode } from './adapters/postgres/account-admin.ts'
import { openDatabase } from './adapters/postgres/database.ts'
import { listLinks, putLink } from './adapters/postgres/link-admin.ts'
import { assertSchemaKnown, readMigrations } from './adapters/postgres/migrate.ts'
import { openKeyEncryptingKeys, type KekSettings } from './adapters/vault/key-encrypting-keys.ts'
import { openKeyRing, type KeyRing } from './adapters/vault/key-ring.ts'
import { createSecretSeal, linkKeyBinding } from './adapters/vault/secret-seal.ts'
import { systemClock } from './base/clock.ts'
import type { Secret } from './base/secret.ts'
import { isLoopback } from './config-checks.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import type { LinkSummary, ModeChange, Outcome } from './usecases/operator.ts'
import { parseEndpoint } from './usecases/processor-links.ts'

export type { LinkSummary, ModeChange, Outcome } from './usecases/operator.ts'

/** What the command line does for an operator, on the database that the gateways use. */
export interface Operator {
  listLinks(): Promise<LinkSummary[]>
  /** Makes or changes a link; files that the text names are sought from `folder` on. */
  putLink(
    text: string,
    folder: string,
  ): Promise<
    Outcome<{ readonly name: string; readonly created: boolean; readonly warnings: string[] }>
  >
  putAccount(text: string): Promise<Outcome<{ readonly id: number; readonly created: boolean }>>
  setSiteMode(
    siteId: number,
    mode: 'test' | 'live',
  ): Promise<Outcome<{ readonly change: ModeChange }>>
  close(): Promise<void>
}

/** The key-encrypting key is opened only where a secret is to be sealed. */
export async function openOperator(
  options: KekSettings & { readonly databaseUrl: Secret },
): Promise<Operator> {
  const { databaseUrl } = options
  // What breaks a connection is told by the query that needed it.
  const database = openDatabase(databaseUrl.reveal(), () => undefined)
  const { pool } = database
  try {
    await assertSchemaKnown(pool, (await readMigrations(MIGRATIONS_FOLDER)).length)
  } catch (error) {
    await database.close()
    throw error
  }
  const openKeys = async (): Promise<KeyRing> =>
    openKeyRing({
      database: pool,
      keks: await openKeyEncryptingKeys(options),
      worker: null,
      monotonicMs: () => performance.now(),
      onTrouble: () => undefined,
    })
  return {
    listLinks: () => listLinks(pool),
    async putLink(text, folder) {
      const read = readLinkFile(text, folder, systemClock.now())
      if (!read.ok) return read
      const { link } = read
      const seal = createSecretSeal(await openKeys())
      const put = await putLink(pool, link, (key, name) => seal.seal(key, linkKeyBinding(name)))
      if (!put.ok) return put
      const isOpen =
        link.tls === null &&
        link.addresses.some((text) => !isLoopback(parseEndpoint(text)?.host ?? ''))
      const warnings = isOpen
        ? [`The link ${link.name} is in plain text: card data crosses the network as it is.`]
        : []
      return { ok: true, name: link.name, created: put.created, warnings }
    },
    async putAccount(text) {
      const read = readAccountFile(text)
      if (!read.ok) return read
      const put = await putAccount(pool, read.account)
      return put.ok ? { ...put, id: read.account.id } : put
    },
    setSiteMode: (siteId, mode) => setSiteMode(pool, siteId, mode),
    close: () => database.close(),
  }
}
