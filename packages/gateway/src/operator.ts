import { readAccountFile } from './adapters/operator-files/account-file.ts'
import { readLinkFile } from './adapters/operator-files/link-file.ts'
import { putAccount, setSiteMode } from './adapters/postgres/account-admin.ts'
import { openDatabase } from './adapters/postgres/database.ts'
import { listLinks, putLink } from './adapters/postgres/link-admin.ts'
import { assertSchemaKnown, readMigrations } from './adapters/postgres/migrate.ts'
import { loadDataKeys } from './adapters/vault/data-keys.ts'
import { createLocalKeyWrapper } from './adapters/vault/key-wrapper.ts'
import { createSecretSeal, linkKeyBinding } from './adapters/vault/secret-seal.ts'
import { systemClock } from './base/clock.ts'
import type { Secret } from './base/secret.ts'
import { isLoopback } from './config-checks.ts'
import { operatorActor } from './operator-actor.ts'
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

/** `vaultKey` may be null where no secret is to be sealed. */
export async function openOperator(options: {
  readonly databaseUrl: Secret
  readonly vaultKey: Secret | null
}): Promise<Operator> {
  const { databaseUrl, vaultKey } = options
  // What breaks a connection is told by the query that needed it.
  const database = openDatabase(databaseUrl.reveal(), () => undefined)
  const { pool } = database
  try {
    await assertSchemaKnown(pool, (await readMigrations(MIGRATIONS_FOLDER)).length)
  } catch (error) {
    await database.close()
    throw error
  }
  return {
    listLinks: () => listLinks(pool),
    async putLink(text, folder) {
      const read = readLinkFile(text, folder, systemClock.now())
      if (!read.ok) return read
      const { link } = read
      if (vaultKey === null) {
        return { ok: false, faults: ['There is no vault key: set VAULT_KEY or VAULT_KEY_FILE.'] }
      }
      const wrapper = createLocalKeyWrapper(Buffer.from(vaultKey.reveal(), 'base64'))
      const seal = createSecretSeal(await loadDataKeys(pool, wrapper))
      const sealKey: Parameters<typeof putLink>[2] = (key, name) => seal.seal(key, linkKeyBinding(name))
      const put = await putLink(pool, link, sealKey, operatorActor())
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
      const put = await putAccount(pool, read.account, operatorActor())
      return put.ok ? { ...put, id: read.account.id } : put
    },
    setSiteMode: (siteId, mode) => setSiteMode(pool, siteId, mode, operatorActor()),
    close: () => database.close(),
  }
}
