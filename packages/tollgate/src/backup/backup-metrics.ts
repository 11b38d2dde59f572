import { Counter, Gauge, type Registry } from 'prom-client'

/** The metrics of backups, which the supervisor serves. */
export interface BackupMetrics {
  /** Segments of the log that wait for the store. */
  setWaiting(segments: number): void
  /** The store has everything up to this moment. */
  setSafe(moment: Date): void
  countFailure(): void
  /** The start of the latest complete copy; null for none. */
  setLastBackup(startedAt: Date | null): void
}

/** @param now milliseconds of the clock */
export function createBackupMetrics(registry: Registry, now: () => number): BackupMetrics {
  const registers = [registry]
  let safe = now()
  const waiting = new Gauge({
    name: 'tollgate_backup_log_waiting',
    help: 'Segments of the database log that are not in the store of backups yet.',
    registers,
  })
  const failures = new Counter({
    name: 'tollgate_backup_failures_total',
    help: 'Failed attempts to bring the database log to the store of backups.',
    registers,
  })
  const last = new Gauge({
    name: 'tollgate_backup_last_timestamp_seconds',
    help: 'Start of the latest complete backup, in seconds since 1970; 0 for none.',
    registers,
  })
  const lag = new Gauge({
    name: 'tollgate_backup_lag_seconds',
    help: 'Age of the latest moment that the store of backups has the database log of.',
    registers,
    collect() {
      lag.set(Math.max(0, (now() - safe) / 1_000))
    },
  })
  return {
    setWaiting: (segments) => waiting.set(segments),
    setSafe: (moment) => (safe = Math.max(safe, moment.getTime())),
    countFailure: () => failures.inc(),
    setLastBackup: (startedAt) => last.set((startedAt?.getTime() ?? 0) / 1_000),
  }
}
