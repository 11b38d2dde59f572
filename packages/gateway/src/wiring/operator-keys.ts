import { createReadStream } from 'node:fs'
import { open, rm, writeFile } from 'node:fs/promises'
import type pg from 'pg'
import { auditing } from '../adapters/postgres/audit/admin-transaction.ts'
import { connectOnce } from '../adapters/postgres/connection/address-ring.ts'
import { addressOf, type ClusterMemory } from '../adapters/postgres/connection/cluster-memory.ts'
import { readMigrations } from '../adapters/postgres/connection/migration-files.ts'
import { assertSchemaFits } from '../adapters/postgres/connection/schema-fit.ts'
import { allowExport } from '../adapters/vault/export-approval.ts'
import { destroyKey, rewrapKeys, rotateKey } from '../adapters/vault/key-admin.ts'
import {
  openKeyEncryptingKeys,
  type KekSettings,
  type KeyEncryptingKeys,
} from '../adapters/vault/key-encrypting-keys.ts'
import { listKeys } from '../adapters/vault/key-list.ts'
import { openKeyRing, type KeyRing } from '../adapters/vault/key-ring.ts'
import { exportKeyName, exportVault } from '../adapters/vault/vault-export.ts'
import { importVault, type Imported } from '../adapters/vault/vault-import.ts'
import { systemClock } from '../base/clock.ts'
import { csvRow } from '../base/csv.ts'
import type { Result } from '../base/refusal.ts'
import type { Secret } from '../base/secret.ts'
import type { KeyAuthority } from '../domain/vault/key-operation.ts'
import { maskPastedNumbers } from '../http/payment/pasted-numbers.ts'
import type { KeysView } from '../usecases/vault/data-keys.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { operatorActor } from './operator-actor.ts'

export { emergencyFault } from '../domain/vault/key-operation.ts'
export type { Imported, NewId } from '../adapters/vault/vault-import.ts'
export { VaultFileError } from '../adapters/vault/vault-file.ts'
export type { DataKeyView, KeysView } from '../usecases/vault/data-keys.ts'

/** The command line's operations on keys and on the whole vault, each of them audited. */
export interface KeyOperator {
  list(): Promise<KeysView>
  rotate(): Promise<{ readonly made: number; readonly retired: number }>
  /** `emergency`: the reason for doing it without a second operator; null for none. */
  rewrap(emergency: string | null): Promise<{
    readonly keys: number
    readonly from: readonly string[]
    readonly to: string
  }>
  /** `unreadable`: how many cards the operator knows to be lost by it. */
  destroy(
    id: number,
    unreadable: number | null,
    emergency: string | null,
  ): Promise<Result<{ readonly unreadable: number }>>
  /**
   * Writes a file that must not be there yet. `key` is the base64 text of 32 bytes.
   * @param emergency the reason for doing it without a second operator; null for none
   */
  exportTo(
    path: string,
    key: Secret,
    emergency: string | null,
    onProgress: (cards: number) => void,
  ): Promise<{ readonly cards: number; readonly unreadable: number }>
  /** Lists new ids in `<path>.ids.csv`. */
  importFrom(
    path: string,
    key: Secret,
    onProgress: (cards: number) => void,
  ): Promise<Imported & { readonly idsFile: string | null }>
  close(): Promise<void>
}

/** Opens the database, and the key-encrypting key once something needs it. */
export async function openKeyOperator(
  options: KekSettings & {
    /** In production two operators are needed for what cannot be undone. */
    readonly mode: 'sandbox' | 'production'
    readonly databaseUrl: Secret
    readonly cluster?: ClusterMemory
  },
): Promise<KeyOperator> {
  const connections: pg.Client[] = []
  const connect = async (): Promise<pg.Client> => {
    const connected = await connectOnce(addressOf(options.databaseUrl.reveal(), options.cluster), {
      connectionTimeoutMillis: 5_000,
      application_name: 'tollgate keys',
    })
    connections.push(connected)
    return connected
  }
  const close = async (): Promise<void> => {
    await Promise.all(connections.map((connection) => connection.end().catch(() => undefined)))
  }
  const client = await connect()
  try {
    await assertSchemaFits(client, (await readMigrations(MIGRATIONS_FOLDER)).length)
  } catch (error) {
    await close()
    throw error
  }
  const admin = { client, actor: operatorActor(), ...auditing }
  const openKeks = (): Promise<KeyEncryptingKeys> => openKeyEncryptingKeys(options)
  const openKeys = async (): Promise<KeyRing> =>
    openKeyRing({
      database: client,
      keks: await openKeks(),
      worker: null,
      monotonicMs: () => performance.now(),
      onTrouble: () => undefined,
    })

  return {
    list: () => listKeys(client),
    rotate: async () => rotateKey(admin, await openKeks()),
    rewrap: async (emergency) =>
      rewrapKeys(admin, await openKeks(), authorityOf(options.mode, emergency)),
    destroy: (id, unreadable, emergency) =>
      destroyKey(admin, id, unreadable, authorityOf(options.mode, emergency)),

    async exportTo(path, key, emergency, onProgress) {
      // A recipient of the file gets its key, and must not get this vault's.
      if (options.vaultKey?.reveal() === key.reveal()) {
        throw new Error("The key file holds the vault's own key: make another one for the export.")
      }
      const keys = await openKeys()
      const file = await open(path, 'wx', 0o600)
      try {
        const write = (bytes: Buffer): Promise<void> => file.writeFile(bytes)
        await allowExport(admin, exportKeyName(bytesOf(key)), authorityOf(options.mode, emergency))
        const transfer = { ...admin, keys, onProgress }
        const exported = await exportVault(transfer, bytesOf(key), systemClock.now(), write)
        await file.sync()
        await file.close()
        return exported
      } catch (error) {
        await file.close().catch(() => undefined)
        await rm(path, { force: true })
        throw error
      }
    },

    async importFrom(path, key, onProgress) {
      const reserving = await connect()
      const cutDown = (text: string): string => maskPastedNumbers(text, null)
      const options = { ...admin, reserving, keys: await openKeys(), onProgress, cutDown }
      const imported = await importVault(options, bytesOf(key), () => createReadStream(path))
      if (imported.newIds.length === 0) return { ...imported, idsFile: null }
      const idsFile = `${path}.ids.csv`
      const lines = imported.newIds.map(({ kind, merchantId, oldId, newId }) =>
        csvRow([kind, merchantId, oldId, newId].map(String)),
      )
      const head = csvRow(['kind', 'merchant_id', 'old_id', 'new_id'])
      await writeFile(idsFile, [head, ...lines].join(''))
      return { ...imported, idsFile }
    },

    close,
  }
}

function authorityOf(mode: 'sandbox' | 'production', emergency: string | null): KeyAuthority {
  if (emergency !== null) return { kind: 'emergency', reason: emergency }
  return { kind: mode === 'production' ? 'two operators' : 'sandbox' }
}

function bytesOf(key: Secret): Buffer {
  return Buffer.from(key.reveal(), 'base64')
}
