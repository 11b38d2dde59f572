import type { GatewayConfig } from '@tollgate/gateway/config'

export type BackupSettings = NonNullable<GatewayConfig['backup']>
export type BackupPlace = BackupSettings['place']

/** An object of a store. */
export interface StoredObject {
  readonly name: string
  readonly bytes: number
}

/** A folder or a bucket with the objects of one cluster's backups. */
export interface BackupStore {
  /** The place, as an operator knows it. */
  readonly place: string
  /** Resolves when the object is durable. Replaces one of that name as a whole. */
  put(name: string, sealed: Buffer): Promise<void>
  /** Null where there is none of that name. */
  get(name: string): Promise<Buffer | null>
  /** The objects whose name begins so, sorted by name. */
  list(prefix: string): Promise<readonly StoredObject[]>
  remove(name: string): Promise<void>
  close(): void
}

/** The store cannot be used. The message is a sentence, with the next step. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}
