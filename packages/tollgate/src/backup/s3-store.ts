import type { S3ClientConfig } from '@aws-sdk/client-s3'
import {
  StoreError,
  type BackupPlace,
  type BackupStore,
  type StoredObject,
} from './backup-store.ts'

const TRIES = 3
const CONNECT_MS = 5_000
/** Without a byte for so long, a request has failed. */
const SILENCE_MS = 60_000

/** Backups in a bucket of S3 or of a server that speaks its protocol. */
export async function s3Store(place: BackupPlace & { kind: 's3' }): Promise<BackupStore> {
  // Loaded here, because most installations have no bucket.
  const s3 = await import('@aws-sdk/client-s3')
  const client = new s3.S3Client(clientOptions(place))
  const root = place.prefix === '' ? '' : `${place.prefix}/`
  const { bucket: Bucket } = place
  const refused = (doing: string, error: unknown): StoreError => {
    const { name, message } = error as Error
    return new StoreError(
      `The bucket ${place.name} refused to ${doing} (${name}: ${message}). Check BACKUP_TO, ` +
        'BACKUP_S3_ENDPOINT, the access key and its rights.',
    )
  }
  return {
    place: place.name,
    async put(name, sealed) {
      try {
        const object = { Bucket, Key: `${root}${name}`, Body: sealed }
        await client.send(new s3.PutObjectCommand(object))
      } catch (error) {
        throw refused(`store ${name}`, error)
      }
    },
    async get(name) {
      try {
        const found = await client.send(new s3.GetObjectCommand({ Bucket, Key: `${root}${name}` }))
        return Buffer.from((await found.Body?.transformToByteArray()) ?? [])
      } catch (error) {
        // Some servers name it as they answer a HEAD.
        if (error instanceof s3.NoSuchKey || (error as Error).name === 'NotFound') return null
        throw refused(`read ${name}`, error)
      }
    },
    async list(prefix) {
      const objects: StoredObject[] = []
      try {
        const input = { Bucket, Prefix: `${root}${prefix}` }
        for await (const page of s3.paginateListObjectsV2({ client }, input)) {
          for (const { Key = '', Size = 0 } of page.Contents ?? []) {
            objects.push({ name: Key.slice(root.length), bytes: Size })
          }
        }
      } catch (error) {
        throw refused('list objects', error)
      }
      return objects.toSorted((left, right) => (left.name < right.name ? -1 : 1))
    },
    async remove(name) {
      try {
        await client.send(new s3.DeleteObjectCommand({ Bucket, Key: `${root}${name}` }))
      } catch (error) {
        throw refused(`delete ${name}`, error)
      }
    },
    close: () => client.destroy(),
  }
}

function clientOptions(place: BackupPlace & { kind: 's3' }): S3ClientConfig {
  const { accessKey, endpoint, region, secretKey } = place
  return {
    region,
    maxAttempts: TRIES,
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: SILENCE_MS },
    // Other servers than AWS's refuse the checksums that AWS added; every object has a tag of ours.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(accessKey === null || secretKey === null
      ? {}
      : { credentials: { accessKeyId: accessKey, secretAccessKey: secretKey.reveal() } }),
  }
}
