import type { GatewayConfig } from '@tollgate/gateway/config'
import pg from 'pg'
import { StartupError } from '../startup-error.ts'
import type { BackupStore } from './backup-store.ts'
import { folderStore } from './folder-store.ts'
import { s3Store } from './s3-store.ts'
import { backupKey, openObject, sealObject, type BackupKey } from './sealed-object.ts'

/** A store with the key of its objects. */
export interface OpenedStore {
  readonly store: BackupStore
  readonly key: BackupKey
}

/** Opens the store of the settings. @throws StartupError if they name none */
export async function openStore(backup: GatewayConfig['backup']): Promise<OpenedStore> {
  if (backup === null) {
    throw new StartupError(
      'BACKUP_TO is not set, so there are no backups. Set BACKUP_TO and BACKUP_KEY: ' +
        'docs/operators/backup.md.',
    )
  }
  const { key, place } = backup
  const store = place.kind === 's3' ? await s3Store(place) : folderStore(place.folder)
  return { store, key: backupKey(key.reveal()) }
}

/** The cluster that a store belongs to. */
export interface StoreOwner {
  readonly systemIdentifier: string
  readonly segmentBytes: number
}

/** Reads which cluster the server at this address runs. */
export async function readCluster(url: string): Promise<StoreOwner> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<StoreOwner>(
      `select system_identifier::text as "systemIdentifier",
              (select setting::int from pg_settings where name = 'wal_segment_size')
                as "segmentBytes"
         from pg_control_system()`,
    )
    const [cluster] = rows
    if (cluster === undefined) throw new Error('The server reports no cluster.')
    return cluster
  } finally {
    await client.end()
  }
}

const OWNER = 'cluster'

/** The cluster of the store; null for an empty one. */
export async function readOwner({ key, store }: OpenedStore): Promise<StoreOwner | null> {
  const sealed = await store.get(OWNER)
  if (sealed === null) return null
  const { facts } = await openObject(key, OWNER, sealed)
  return facts as unknown as StoreOwner
}

/**
 * Makes an empty store that of a cluster. Segments of two clusters have the same names, so each
 * needs a place of its own.
 * @throws StartupError for the store of another cluster
 */
export async function claimStore(opened: OpenedStore, owner: StoreOwner): Promise<void> {
  const found = await readOwner(opened)
  if (found === null) {
    const sealed = await sealObject(opened.key, OWNER, { ...owner }, Buffer.alloc(0))
    return opened.store.put(OWNER, sealed)
  }
  if (found.systemIdentifier === owner.systemIdentifier) return
  throw new StartupError(
    `${opened.store.place} has the backups of the cluster ${found.systemIdentifier}, and this ` +
      `is the cluster ${owner.systemIdentifier}. Set BACKUP_TO to a place of its own.`,
  )
}
