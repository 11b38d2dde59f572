import {
  followLog,
  historyName,
  historyTimeline,
  LOG,
  readHistory,
  readSegment,
  segmentName,
  type Stretch,
} from './log-segments.ts'
import type { Manifest } from './manifest.ts'
import type { OpenedStore } from './open-store.ts'
import { openObject } from './sealed-object.ts'

/** How far the archived log goes on from a backup. */
export interface Reach {
  /** When the last segment was closed; null where not even the backup's own log is there. */
  readonly until: string | null
  /** Name of the last segment. */
  readonly last: string | null
  readonly segments: number
  /** The missing segment; null for none. */
  readonly missing: string | null
  /** Whether the log that makes the backup itself consistent is there. */
  readonly isWhole: boolean
  /** The next step for the missing segment. */
  readonly advice: string
}

/** Follows the log of a backup up to its end, or to the first gap. */
export async function readReach(opened: OpenedStore, backup: Manifest): Promise<Reach> {
  const { segmentBytes } = backup
  const names = new Set((await opened.store.list(LOG)).map(({ name }) => name.slice(LOG.length)))
  const first = readSegment(backup.firstSegment, segmentBytes) ?? { timeline: 1, number: 0 }
  const own = readSegment(backup.lastSegment, segmentBytes) ?? first
  const stretches = await readStretches(opened, names, backup)
  const { gap, last } = followLog(names, first, stretches, segmentBytes)
  const isWhole = last !== null && last.number >= own.number
  const missing =
    gap ?? (isWhole ? null : { ...own, number: (last?.number ?? first.number - 1) + 1 })
  const until = last === null ? null : await closedAt(opened, segmentName(last, segmentBytes))
  return {
    until,
    isWhole,
    last: last === null ? null : segmentName(last, segmentBytes),
    segments: last === null ? 0 : last.number - first.number + 1,
    missing: missing === null ? null : segmentName(missing, segmentBytes),
    advice: isWhole
      ? `The log before it reaches ${until}: restore to a time before that with --to.`
      : 'Choose an earlier backup with --to.',
  }
}

/** The timelines up to the latest one that grew out of the backup's. */
async function readStretches(
  { key, store }: OpenedStore,
  names: ReadonlySet<string>,
  { segmentBytes, timeline }: Manifest,
): Promise<readonly Stretch[]> {
  const timelines = [...names]
    .map(historyTimeline)
    .filter((found) => found !== null)
    .filter((found) => found > timeline)
    .toSorted((left, right) => right - left)
  for (const newer of timelines) {
    const object = `${LOG}${historyName(newer)}`
    const sealed = await store.get(object)
    if (sealed === null) continue
    const { content } = await openObject(key, object, sealed)
    const stretches = readHistory(content.toString(), newer, segmentBytes)
    if (stretches.some((stretch) => stretch.timeline === timeline)) return stretches
  }
  return [{ timeline, from: 0 }]
}

async function closedAt({ key, store }: OpenedStore, name: string): Promise<string | null> {
  const object = `${LOG}${name}`
  const sealed = await store.get(object)
  if (sealed === null) return null
  return String((await openObject(key, object, sealed)).facts['closedAt'])
}

/**
 * Says which moments a restore can choose.
 * @param endedAt the end of the copy, as an ISO time
 * @param until when the last archived segment was closed, which is before `endedAt` at first
 */
export function describeReach(endedAt: string, until: string | null): string {
  return until !== null && new Date(until) > new Date(endedAt)
    ? `A restore can reach any time from ${endedAt} to ${until}.`
    : `A restore can reach ${endedAt}; the log of later payments is not archived yet.`
}
