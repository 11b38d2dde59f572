import { readSegment, LOG } from './log-segments.ts'
import { listBackups, objectsOf, readManifest, startOfBackup, type Manifest } from './manifest.ts'
import type { OpenedStore } from './open-store.ts'

/** An upload of this age without a manifest was broken off. */
const BROKEN_OFF_MS = 24 * 3_600_000
const DAY_MS = 86_400_000

/** The backups to keep: those that any of the two rules keeps, and always the latest. */
export interface KeepRules {
  /** So many of the latest; null for no such rule. */
  readonly count: number | null
  /** Those of so many days; null for no such rule. */
  readonly days: number | null
}

/** The result of a prune. */
export interface Pruned {
  readonly backups: readonly string[]
  readonly segments: number
  readonly kept: readonly string[]
}

/** Removes old backups, and the log that no kept one needs. */
export async function pruneBackups(
  opened: OpenedStore,
  rules: KeepRules,
  now: Date,
  onProgress: (line: string) => void,
): Promise<Pruned> {
  const complete = await listBackups(opened)
  const kept = keptBackups(complete, rules, now)
  const oldest = await oldestNeeded(opened, kept)
  const brokenOff = (await listBackups(opened, 'all')).filter(
    (id) => !complete.includes(id) && isOld(id, now),
  )
  const backups = [...complete.filter((id) => !kept.includes(id)), ...brokenOff]
  for (const id of backups) {
    onProgress(`removing ${id}`)
    // The manifest first: a prune that is broken off leaves no backup that looks whole.
    for (const name of await objectsOf(opened, id)) await opened.store.remove(name)
  }
  return { backups, kept, segments: await removeLog(opened, oldest, onProgress) }
}

/** @param complete ids, oldest first */
export function keptBackups(
  complete: readonly string[],
  { count, days }: KeepRules,
  now: Date,
): readonly string[] {
  const since = days === null ? null : now.getTime() - days * DAY_MS
  return complete.filter((id, at) => {
    const place = complete.length - at
    const start = startOfBackup(id)?.getTime() ?? now.getTime()
    return place === 1 || (count !== null && place <= count) || (since !== null && start >= since)
  })
}

function isOld(id: string, now: Date): boolean {
  const start = startOfBackup(id)
  return start !== null && now.getTime() - start.getTime() > BROKEN_OFF_MS
}

/** The kept backup that begins earliest in the log; null where none is kept. */
async function oldestNeeded(
  opened: OpenedStore,
  kept: readonly string[],
): Promise<Manifest | null> {
  const manifests = await Promise.all(kept.map((id) => readManifest(opened, id)))
  const begin = ({ firstSegment, segmentBytes }: Manifest): number =>
    readSegment(firstSegment, segmentBytes)?.number ?? 0
  return manifests.toSorted((left, right) => begin(left) - begin(right))[0] ?? null
}

async function removeLog(
  { store }: OpenedStore,
  oldest: Manifest | null,
  onProgress: (line: string) => void,
): Promise<number> {
  if (oldest === null) return 0
  const needed = readSegment(oldest.firstSegment, oldest.segmentBytes)?.number ?? 0
  let removed = 0
  for (const { name } of await store.list(LOG)) {
    const segment = readSegment(name.slice(LOG.length), oldest.segmentBytes)
    if (segment === null || segment.number >= needed) continue
    await store.remove(name)
    removed += 1
    onProgress(`${removed} segments of the log removed`)
  }
  return removed
}
