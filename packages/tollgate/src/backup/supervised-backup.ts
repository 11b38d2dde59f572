import type { Registry } from 'prom-client'
import type { Log } from '../log.ts'
import type { PostgresSettings } from '../postgres/settings.ts'
import { sentenceOf } from '../startup-error.ts'
import { createBackupMetrics, type BackupMetrics } from './backup-metrics.ts'
import type { BackupSettings } from './backup-store.ts'
import { archiveSettings, startLogArchive, type LogArchive } from './log-archive.ts'
import { listBackups, startOfBackup } from './manifest.ts'
import { openStore, readCluster, type OpenedStore } from './open-store.ts'

/** A backup is made by another process, and seldom. */
const LOOK_EVERY_MS = 600_000
/** Room for the last segments, after the server has stopped. */
const STOP_MS = 8_000

/** The part of the supervisor that archives the log of the embedded database. */
export interface SupervisedBackup {
  /** Settings of the server, before its first start. */
  readonly settings: PostgresSettings
  /** Begins to archive, once the server runs at this address. */
  begin(url: string): Promise<void>
  /** Archives what the stopped server has left. */
  stop(): Promise<void>
}

const NONE: SupervisedBackup = {
  settings: {},
  begin: () => Promise.resolve(),
  stop: () => Promise.resolve(),
}

export interface SupervisedBackupOptions {
  /** Null where no backups are made. */
  readonly backup: BackupSettings | null
  /** The folder of the cluster and the spool. */
  readonly postgresDir: string
  readonly log: Log
  readonly registry: Registry
}

export function superviseBackup(options: SupervisedBackupOptions): SupervisedBackup {
  const { backup, log, postgresDir, registry } = options
  if (backup === null) return NONE
  let archive: LogArchive | null = null
  let looking: NodeJS.Timeout | null = null
  return {
    settings: archiveSettings(postgresDir, backup.lagS),
    async begin(url) {
      log.info(`archiving the log of the database to ${backup.place.name}`)
      const metrics = createBackupMetrics(registry, Date.now)
      const opened = await openStore(backup)
      const owner = await readCluster(url)
      archive = startLogArchive({ postgresDir, opened, owner, log, metrics })
      const look = (): void => void findLast(opened, metrics, log)
      look()
      looking = setInterval(look, LOOK_EVERY_MS)
    },
    async stop() {
      if (looking !== null) clearInterval(looking)
      await archive?.stop(STOP_MS)
    },
  }
}

async function findLast(opened: OpenedStore, metrics: BackupMetrics, log: Log): Promise<void> {
  try {
    const last = (await listBackups(opened)).at(-1)
    metrics.setLastBackup(last === undefined ? null : startOfBackup(last))
  } catch (error) {
    log.warn(`the backups cannot be listed: ${sentenceOf(error)}`)
  }
}

/**
 * The environment of processes that make no backups: without the place, the keys and the login.
 * They are undefined rather than left out, because workers get this over the supervisor's own.
 */
export function withoutBackup(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      name.startsWith('BACKUP_') ? undefined : value,
    ]),
  )
}
