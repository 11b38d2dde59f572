import { mkdirSync, readdirSync, rmSync, watch, type FSWatcher } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { PostgresSettings } from '../postgres/settings.ts'
import { sentenceOf } from '../startup-error.ts'
import type { BackupMetrics } from './backup-metrics.ts'
import { historyTimeline, LOG, readSegment } from './log-segments.ts'
import { claimStore, type OpenedStore, type StoreOwner } from './open-store.ts'
import { openObject, sealObject } from './sealed-object.ts'

const SPOOL = 'log-spool'
/** docs/operators/alarms.md */
const NOT_ARCHIVED = 'the log of the database is not archived, and waits'
/** Notices of the file system can be lost; a look costs one directory. */
const LOOK_EVERY_MS = 5_000
const RETRY_MS = 1_000
const RETRY_MOST_MS = 60_000
/** PostgreSQL hands one over with each copy, and nothing here needs it. */
const BACKUP_HISTORY = /^[0-9A-F]{24}\.[0-9A-F]{8}\.backup$/

/** The folder beside a cluster to which the server copies each finished segment of its log. */
export function spoolOf(postgresDir: string): string {
  return join(postgresDir, SPOOL)
}

/**
 * Settings of a server that archives. Its own module copies each segment to the spool, on the disk
 * and under its name at once, without a shell.
 */
export function archiveSettings(postgresDir: string, lagS: number): PostgresSettings {
  const spool = spoolOf(postgresDir)
  mkdirSync(spool, { recursive: true, mode: 0o700 })
  for (const name of readdirSync(spool)) {
    // Half a copy of a server that was killed; the new one copies the segment again.
    if (name.startsWith('archtemp.')) rmSync(join(spool, name))
  }
  return {
    archive_mode: 'on',
    archive_library: 'basic_archive',
    'basic_archive.archive_directory': spool,
    archive_timeout: String(lagS),
  }
}

export interface LogArchiveOptions {
  /** The folder that has the cluster and the spool. */
  readonly postgresDir: string
  readonly opened: OpenedStore
  /** The cluster of the running server. */
  readonly owner: StoreOwner
  readonly log: Log
  readonly metrics: BackupMetrics
}

export interface LogArchive {
  /** Brings what the stopped server left in the spool, and ends; at most so long. */
  stop(limitMs: number): Promise<void>
}

/** Brings the log from the spool to the store, encrypted, until it is stopped. */
export function startLogArchive(options: LogArchiveOptions): LogArchive {
  const { log, metrics, opened, owner, postgresDir } = options
  const spool = spoolOf(postgresDir)
  let isStopping = false
  let isClaimed = false
  let problem: string | null = null
  let retryMs = RETRY_MS
  let isNoticed = false
  let wake = (): void => undefined

  /** Null: everything is in the store. */
  const pass = async (): Promise<string | null> => {
    try {
      if (!isClaimed) {
        await claimStore(opened, owner)
        await shipHistories(options)
        isClaimed = true
      }
      for (const name of await waiting(spool)) {
        await ship(options, spool, name)
        metrics.setWaiting((await waiting(spool)).length)
      }
      metrics.setWaiting(0)
      return null
    } catch (error) {
      metrics.countFailure()
      metrics.setWaiting((await waiting(spool).catch(() => [])).length)
      return sentenceOf(error)
    }
  }
  const run = async (): Promise<void> => {
    while (true) {
      const isLast = isStopping
      isNoticed = false
      const found = await pass()
      if (found !== null && found !== problem) {
        log.error(`${NOT_ARCHIVED} in ${spool}: ${found}`)
      }
      if (found === null && problem !== null) log.info('the log of the database is archived again')
      problem = found
      retryMs = found === null ? RETRY_MS : Math.min(RETRY_MOST_MS, retryMs * 2)
      if (isLast) return
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const pause = setTimeout(resolve, found === null ? LOOK_EVERY_MS : retryMs)
      if (!isStopping && !(isNoticed && found === null)) await promise
      clearTimeout(pause)
    }
  }
  let watcher: FSWatcher | null = null
  try {
    watcher = watch(spool, () => {
      isNoticed = true
      if (problem === null) wake()
    })
    watcher.on('error', () => watcher?.close())
  } catch {
    // Without notices it looks every few seconds.
  }
  const running = run()
  return {
    async stop(limitMs) {
      isStopping = true
      watcher?.close()
      wake()
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, limitMs)
      await Promise.race([running, late.promise])
      clearTimeout(timer)
      opened.store.close()
    },
  }
}

/** Files in the spool under their final names, oldest first. */
async function waiting(spool: string): Promise<string[]> {
  const names = await readdir(spool)
  return names.filter(isOurs).toSorted()
}

function isOurs(name: string): boolean {
  return /^[0-9A-F]{24}$/.test(name) || historyTimeline(name) !== null || BACKUP_HISTORY.test(name)
}

/** Ships one file and removes it. */
async function ship(
  { metrics, opened, owner }: LogArchiveOptions,
  spool: string,
  name: string,
): Promise<void> {
  const path = join(spool, name)
  if (!BACKUP_HISTORY.test(name)) {
    const { mtime } = await stat(path)
    await shipContent(opened, name, await readFile(path), mtime)
    if (readSegment(name, owner.segmentBytes) !== null) metrics.setSafe(mtime)
  }
  await rm(path)
}

/** A server that is killed between its copy and its note hands a segment over once more. */
async function shipContent(
  { key, store }: OpenedStore,
  name: string,
  content: Buffer,
  closedAt: Date,
): Promise<void> {
  const object = `${LOG}${name}`
  const known = await store.get(object)
  if (known !== null) {
    if ((await openObject(key, object, known)).content.equals(content)) return
    throw new Error(
      `${store.place} has another ${name}: two servers archive to it. Stop one of them, or set ` +
        'its BACKUP_TO to a place of its own.',
    )
  }
  const facts = { closedAt: closedAt.toISOString() }
  await store.put(object, await sealObject(key, object, facts, content))
}

/**
 * A restored cluster made the history of its timeline while nothing was archived. A later recovery
 * needs it to choose another timeline, and to follow this one.
 */
async function shipHistories({ opened, postgresDir }: LogArchiveOptions): Promise<void> {
  const folder = join(postgresDir, 'cluster', 'pg_wal')
  for (const name of await readdir(folder)) {
    if (historyTimeline(name) === null) continue
    const path = join(folder, name)
    await shipContent(opened, name, await readFile(path), (await stat(path)).mtime)
  }
}
