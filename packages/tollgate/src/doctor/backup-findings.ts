import { fault, good, warning, type Finding } from './finding.ts'

const PART = 'backup'
const HOUR_MS = 3_600_000
/** A day, and some hours for a backup that takes long. */
const OLD_HOURS = 30
/** Of the log: several times what BACKUP_LAG_S lets pass. */
const LATE_LAGS = 5

/** Facts about the store of backups. */
export interface BackupFacts {
  readonly place: string
  /** Why the store cannot be read; null where it can. */
  readonly problem: string | null
  /** The start of the latest complete backup; null for none. */
  readonly lastBackup: Date | null
  /** Segments of the log that wait to be archived, and since when the oldest does. */
  readonly waiting: number
  readonly waitingSince: Date | null
  readonly lagS: number
}

/**
 * Judges the backups of the embedded database.
 * @param facts null where none are made
 */
export function judgeBackup(
  facts: BackupFacts | null,
  { isProduction, isEmbedded }: { readonly isProduction: boolean; readonly isEmbedded: boolean },
  now: Date,
): readonly Finding[] {
  if (!isEmbedded) {
    return [good(PART, 'The database is your own: Tollgate does not know its backups.')]
  }
  if (facts === null) {
    const found = 'BACKUP_TO is not set, so no backups are made.'
    const advice = 'Set BACKUP_TO and BACKUP_KEY_FILE: docs/operators/backup.md.'
    return [isProduction ? warning(PART, found, advice) : good(PART, found)]
  }
  if (facts.problem !== null) {
    return [fault(PART, facts.problem, 'Correct it: docs/operators/backup.md.')]
  }
  return [judgeAge(facts, now), judgeLog(facts, now)]
}

function judgeAge({ lastBackup, place }: BackupFacts, now: Date): Finding {
  const advice = 'Run tollgate backup create, every night by a timer.'
  if (lastBackup === null) return fault(PART, `${place} has no complete backup.`, advice)
  const hours = Math.floor((now.getTime() - lastBackup.getTime()) / HOUR_MS)
  const found = `The latest backup in ${place} is ${hours} hours old.`
  return hours > OLD_HOURS ? warning(PART, found, advice) : good(PART, found)
}

function judgeLog({ lagS, waiting, waitingSince }: BackupFacts, now: Date): Finding {
  const waits = waitingSince === null ? 0 : (now.getTime() - waitingSince.getTime()) / 1_000
  if (waits <= lagS * LATE_LAGS) return good(PART, 'The log of the database is archived.')
  const found = `${waiting} segments of the log wait for the store, for ${Math.floor(waits)} s.`
  const advice = 'They are lost with this disk, and fill it. The log of Tollgate has the reason.'
  return fault(PART, found, advice)
}
