import { openIdOperator } from '@tollgate/gateway/operator-ids'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { prepareDataFolder } from '../data-folder.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../embedded-postgres.ts'
import { requireConfig } from '../operator-work.ts'
import { StartupError } from '../startup-error.ts'
import { syncFolder } from './folder-store.ts'
import { layFiles } from './lay-files.ts'
import { readReach } from './log-reach.ts'
import { serveLog, type LogServer } from './log-server.ts'
import { listBackups, readManifest, type Manifest } from './manifest.ts'
import { readOwner, type OpenedStore } from './open-store.ts'

const DRAFT = 'postgres.restoring'
/** A day of log can take long to replay. */
const RECOVERY_WITHIN_MS = 24 * 3_600_000
const TARGET_MISSED = /recovery ended before configured recovery target was reached/
const LAST_TRANSACTION = /last completed transaction was at log time ([^+]+)\+00/

export interface RestoreOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly opened: OpenedStore
  /** Null: the end of the archived log. */
  readonly to: Date | null
  readonly onProgress: (line: string) => void
}

/** The result of a restore. */
export interface Restored {
  readonly backup: Manifest
  /** The time of the last transaction that was replayed; null for none after the backup. */
  readonly reached: Date | null
  readonly timeline: number
  /** Sequences that were moved beyond the ids that may have been assigned. */
  readonly advanced: number
}

/**
 * Makes the cluster of a data folder that has none. It copies a backup, replays the log up to a
 * moment, and moves the sequences of ids. A restore that fails leaves no cluster.
 * @throws StartupError, SealError or StoreError with a sentence
 */
export async function restoreCluster(options: RestoreOptions): Promise<Restored> {
  const { dataDir } = requireConfig(options.env)
  const release = prepareDataFolder(dataDir)
  const place = join(dataDir, 'postgres')
  const draft = join(dataDir, DRAFT)
  try {
    if (existsSync(place)) {
      throw new StartupError(
        `${place} is there already, and a restore overwrites nothing. Move it away, or set ` +
          'DATA_DIR to another folder.',
      )
    }
    rmSync(draft, { recursive: true, force: true })
    const restored = await restoreInto(draft, options)
    await rename(draft, place)
    await syncFolder(dataDir)
    return restored
  } finally {
    rmSync(draft, { recursive: true, force: true })
    release()
  }
}

async function restoreInto(draft: string, options: RestoreOptions): Promise<Restored> {
  const { onProgress, opened, to } = options
  onProgress('reading the list of backups')
  const backup = await chooseBackup(opened, to)
  const reach = await readReach(opened, backup)
  const isBeforeGap = to !== null && reach.isWhole && new Date(reach.until ?? 0) >= to
  if (reach.missing !== null && !isBeforeGap) {
    throw new StartupError(
      `The log of the backup ${backup.id} is incomplete: ${reach.missing} is missing from ` +
        `${opened.store.place}. ${reach.advice}`,
    )
  }
  mkdirSync(draft, { mode: 0o700 })
  await layFiles(join(draft, 'cluster'), backup, opened, onProgress)
  const logServer = serveLog(draft, opened, backup.segmentBytes)
  try {
    return await recover(draft, backup, logServer, options)
  } finally {
    await logServer.stop()
  }
}

/** The latest backup that was complete by then. */
async function chooseBackup(opened: OpenedStore, to: Date | null): Promise<Manifest> {
  const { place } = opened.store
  if ((await readOwner(opened)) === null) {
    throw new StartupError(`There are no backups in ${place}. Check BACKUP_TO.`)
  }
  const ids = (await listBackups(opened)).toReversed()
  let oldest: Manifest | null = null
  for (const id of ids) {
    oldest = await readManifest(opened, id)
    if (to === null || new Date(oldest.endedAt) <= to) return oldest
  }
  if (oldest === null) {
    throw new StartupError(`${place} has no complete backup: "tollgate backup create" makes one.`)
  }
  throw new StartupError(
    `The oldest backup in ${place} was complete at ${oldest.endedAt}, and a restore cannot reach ` +
      `${to?.toISOString()}, which is earlier. Choose a later time.`,
  )
}

async function recover(
  draft: string,
  backup: Manifest,
  logServer: LogServer,
  { env, onProgress, to }: RestoreOptions,
): Promise<Restored> {
  onProgress('replaying the log')
  const showing = setInterval(() => {
    const last = logServer.lastServed()
    if (last !== null) onProgress(`replaying the log: ${last.name}, of ${last.closedAt}`)
  }, 500)
  let server: EmbeddedPostgres
  try {
    server = await startEmbeddedPostgres({
      dataDir: draft,
      readyWithinMs: RECOVERY_WITHIN_MS,
      settings: {
        ...logServer.settings,
        // Connections are for after the recovery; a standby's would need the sizes of the primary.
        hot_standby: 'off',
        recovery_target_timeline: 'latest',
        ...(to === null
          ? {}
          : { recovery_target_time: serverTime(to), recovery_target_action: 'promote' }),
        archive_mode: 'off',
      },
    })
  } catch (error) {
    throw explained(error, logServer, to)
  } finally {
    clearInterval(showing)
  }
  try {
    const facts = await readRecovered(server.url)
    onProgress('moving the sequences of ids')
    return { backup, ...facts, advanced: await advanceIds(env, server.url) }
  } finally {
    await server.stop()
  }
}

/** The server reads this setting before it knows any name of a zone, even `Z`. */
function serverTime(time: Date): string {
  return time.toISOString().replace('T', ' ').replace('Z', '+00')
}

function explained(error: unknown, logServer: LogServer, to: Date | null): unknown {
  const problem = logServer.problem()
  if (problem !== null) return new StartupError(`The log cannot be replayed. ${problem}`)
  const said = error instanceof Error ? error.message : String(error)
  if (!TARGET_MISSED.test(said)) return error
  // The server's own form of a time can look like a card number, which would be masked.
  const last = new Date(`${LAST_TRANSACTION.exec(said)?.[1]}Z`)
  const end = Number.isNaN(last.getTime()) ? 'an earlier time' : last.toISOString()
  return new StartupError(
    `The archived log does not reach ${to?.toISOString()}: its last transaction is of ${end}. ` +
      'Choose an earlier time, or leave --to out to restore everything.',
  )
}

async function readRecovered(url: string): Promise<Pick<Restored, 'reached' | 'timeline'>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ reached: Date | null; timeline: number }>(
      `select pg_last_xact_replay_timestamp() as reached,
              ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`,
    )
    return rows[0] ?? { reached: null, timeline: 0 }
  } finally {
    await client.end()
  }
}

/** The database may have assigned ids after the moment that was restored. */
async function advanceIds(env: RestoreOptions['env'], url: string): Promise<number> {
  const { dataDir, databaseUrl } = requireConfig({ ...env, DATABASE_URL: url })
  if (databaseUrl === null) throw new Error('The restored database has no address.')
  const operator = await openIdOperator({ databaseUrl, dataDir })
  try {
    return (await operator.advance(null)).length
  } finally {
    await operator.close()
  }
}
