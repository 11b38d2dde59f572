import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { StartupError } from '../startup-error.ts'
import { CONTROL_FILE, entriesOf, readWhole } from './cluster-files.ts'
import { LOG } from './log-segments.ts'
import { dataPart, writeManifest, type Manifest } from './manifest.ts'
import { claimStore, readCluster, type OpenedStore } from './open-store.ts'
import { sealObject } from './sealed-object.ts'

/** The content of one object, before compression. */
const PART_BYTES = 16 * 2 ** 20
/** The archiver needs seconds; a full disk or a bucket that is away lets it wait. */
const LOG_WITHIN_MS = 600_000
const LOG_EVERY_MS = 500

export interface BaseBackupOptions {
  /** Of the running server. */
  readonly url: string
  readonly clusterDir: string
  readonly opened: OpenedStore
  readonly onProgress: (line: string) => void
}

/**
 * Copies a running cluster into the store while it is written to. The copy is complete when the log
 * up to its end is in the store too; only then it gets its manifest.
 */
export async function makeBaseBackup(options: BaseBackupOptions): Promise<Manifest> {
  const client = new pg.Client({
    connectionString: options.url,
    application_name: 'tollgate backup',
  })
  await client.connect()
  try {
    return await copyCluster(client, options)
  } finally {
    // A session that ends in the middle of a backup takes the server out of backup mode.
    await client.end()
  }
}

/** The time of the start, and a suffix for two of one second. */
function backupId(startedAt: Date): string {
  const time = startedAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')
  return `${time}-${randomBytes(2).toString('hex')}`
}

interface ServerFacts {
  readonly timeline: number
  readonly archive_mode: string
  readonly version: string
}

async function copyCluster(
  client: pg.Client,
  { clusterDir, onProgress, opened, url }: BaseBackupOptions,
): Promise<Manifest> {
  const server = await readServer(client)
  const cluster = await readCluster(url)
  await claimStore(opened, cluster)
  const startedAt = new Date()
  const id = backupId(startedAt)
  onProgress('waiting for a checkpoint')
  const start = await position(client, `pg_backup_start('tollgate ${id}', fast => true)`)
  const copied = await copyFiles(clusterDir, id, opened, onProgress)
  onProgress('waiting for the end of the log')
  const { rows } = await client.query<{ lsn: string; labelfile: string; spcmapfile: string }>(
    'select lsn, labelfile, spcmapfile from pg_backup_stop(wait_for_archive => false)',
  )
  const [stopped = { lsn: '', labelfile: '', spcmapfile: '' }] = rows
  if (stopped.spcmapfile !== '') {
    throw new StartupError(
      'The cluster has tablespaces outside of its folder, which are not copied. Move their ' +
        'tables to the default tablespace.',
    )
  }
  const stop = await position(client, `'${stopped.lsn}'::pg_lsn`)
  await logArrives(opened, stop.segment, onProgress)
  const manifest: Manifest = {
    id,
    ...cluster,
    postgresVersion: server.version,
    timeline: server.timeline,
    startedAt: startedAt.toISOString(),
    endedAt: new Date().toISOString(),
    firstSegment: start.segment,
    lastSegment: stop.segment,
    label: stopped.labelfile,
    ...copied,
  }
  await writeManifest(opened, manifest)
  return manifest
}

async function readServer(client: pg.Client): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(
    `select (select timeline_id from pg_control_checkpoint()) as timeline,
            current_setting('archive_mode') as archive_mode,
            current_setting('server_version') as version`,
  )
  const [server] = rows
  if (server === undefined) throw new Error('The server reports no cluster.')
  if (server.archive_mode === 'on') return server
  throw new StartupError(
    'The running database does not archive its log, without which a backup is not whole. Restart ' +
      'Tollgate with BACKUP_TO set.',
  )
}

async function position(client: pg.Client, expression: string): Promise<{ segment: string }> {
  const { rows } = await client.query<{ segment: string }>(
    `select pg_walfile_name(lsn) as segment from (select ${expression} as lsn) as found`,
  )
  return rows[0] ?? { segment: '' }
}

async function logArrives(
  { store }: OpenedStore,
  segment: string,
  onProgress: (line: string) => void,
): Promise<void> {
  onProgress(`waiting for ${segment} in the archive of the log`)
  const end = performance.now() + LOG_WITHIN_MS
  while ((await store.list(`${LOG}${segment}`)).length === 0) {
    if (performance.now() > end) {
      throw new StartupError(
        `The log up to ${segment} did not arrive at ${store.place} within ten minutes, so the ` +
          'backup is not complete. The log of Tollgate has the reason.',
      )
    }
    await new Promise((wake) => setTimeout(wake, LOG_EVERY_MS))
  }
}

type Copied = Pick<Manifest, 'folders' | 'files' | 'parts' | 'bytes' | 'storedBytes'>

/** All contents one after the other, cut into parts. */
async function copyFiles(
  clusterDir: string,
  id: string,
  { key, store }: OpenedStore,
  onProgress: (line: string) => void,
): Promise<Copied> {
  const folders: string[] = []
  const files: [string, number][] = []
  const buffer = Buffer.alloc(PART_BYTES)
  let filled = 0
  let parts = 0
  let bytes = 0
  let storedBytes = 0
  const flush = async (): Promise<void> => {
    if (filled === 0) return
    parts += 1
    const name = dataPart(id, parts)
    const sealed = await sealObject(key, name, { part: parts }, buffer.subarray(0, filled))
    await store.put(name, sealed)
    storedBytes += sealed.length
    filled = 0
    onProgress(`${Math.round(bytes / 2 ** 20)} MiB copied`)
  }
  const add = async (path: string): Promise<void> => {
    const content = await readWhole(clusterDir, path, async (part) => {
      for (let at = 0; at < part.length;) {
        const taken = part.copy(buffer, filled, at)
        at += taken
        filled += taken
        bytes += taken
        if (filled === PART_BYTES) await flush()
      }
    })
    if (content !== null) files.push([path, content])
  }
  for await (const entry of entriesOf(clusterDir)) {
    if (entry.isFolder) folders.push(entry.path)
    else await add(entry.path)
  }
  // Last, so that it is no older than what it describes.
  await add(CONTROL_FILE)
  await flush()
  return { folders, files, parts, bytes, storedBytes }
}
