import type { GatewayConfig } from '@tollgate/gateway/config'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { spoolOf } from '../backup/log-archive.ts'
import { listBackups, startOfBackup } from '../backup/manifest.ts'
import { openStore, readOwner } from '../backup/open-store.ts'
import { sentenceOf } from '../startup-error.ts'
import type { BackupFacts } from './backup-findings.ts'

/** Reads the store of backups and the spool; null where no backups are made. */
export async function readBackup(config: GatewayConfig): Promise<BackupFacts | null> {
  const { backup, dataDir } = config
  if (backup === null) return null
  const spool = readSpool(spoolOf(join(dataDir, 'postgres')))
  const facts = { place: backup.place.name, lagS: backup.lagS, ...spool }
  const opened = await openStore(backup)
  try {
    // A wrong key shows here, and not only when a backup is needed.
    await readOwner(opened)
    const last = (await listBackups(opened)).at(-1)
    return { ...facts, problem: null, lastBackup: last === undefined ? null : startOfBackup(last) }
  } catch (error) {
    return { ...facts, problem: sentenceOf(error), lastBackup: null }
  } finally {
    opened.store.close()
  }
}

function readSpool(spool: string): Pick<BackupFacts, 'waiting' | 'waitingSince'> {
  try {
    const times = readdirSync(spool)
      .filter((name) => /^[0-9A-F]{24}$/.test(name))
      .map((name) => statSync(join(spool, name)).mtimeMs)
    const oldest = times.length === 0 ? null : new Date(Math.min(...times))
    return { waiting: times.length, waitingSince: oldest }
  } catch {
    // There is none before the first start with backups, and a segment can leave meanwhile.
    return { waiting: 0, waitingSince: null }
  }
}
