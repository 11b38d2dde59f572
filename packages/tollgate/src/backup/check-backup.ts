import { readReach, type Reach } from './log-reach.ts'
import { LOG, readSegment, segmentName } from './log-segments.ts'
import { dataPart, type Manifest } from './manifest.ts'
import type { OpenedStore } from './open-store.ts'
import { openObject, SealError } from './sealed-object.ts'

/** The result of a check of one backup. */
export interface CheckedBackup {
  readonly reach: Reach
  /** A sentence for each damaged or missing object. */
  readonly faults: readonly string[]
  readonly objects: number
}

/** Reads and authenticates every object of a backup, and the log that follows it. */
export async function checkBackup(
  opened: OpenedStore,
  backup: Manifest,
  onProgress: (line: string) => void,
): Promise<CheckedBackup> {
  const faults: string[] = []
  let bytes = 0
  for (let part = 1; part <= backup.parts; part += 1) {
    onProgress(`checking part ${part} of ${backup.parts}`)
    const read = await readObject(opened, dataPart(backup.id, part))
    if (typeof read === 'string') faults.push(read)
    else bytes += read
  }
  if (faults.length === 0 && bytes !== backup.bytes) {
    faults.push(`The parts have ${bytes} bytes, and the manifest names ${backup.bytes}.`)
  }
  const log = await checkLog(opened, backup, onProgress)
  faults.push(...log.faults)
  const reach = await reachOf(opened, backup, faults)
  if (reach.missing !== null) {
    faults.push(`The log lacks ${reach.missing}. ${reach.advice}`)
  }
  return { reach, faults, objects: backup.parts + log.objects }
}

const NO_REACH: Reach = {
  until: null,
  last: null,
  segments: 0,
  missing: null,
  isWhole: false,
  advice: '',
}

/** A damaged segment was reported before; then the reach is unknown. */
async function reachOf(
  opened: OpenedStore,
  backup: Manifest,
  faults: readonly string[],
): Promise<Reach> {
  try {
    return await readReach(opened, backup)
  } catch (error) {
    if (error instanceof SealError && faults.length > 0) return NO_REACH
    throw error
  }
}

async function checkLog(
  opened: OpenedStore,
  { firstSegment, segmentBytes }: Manifest,
  onProgress: (line: string) => void,
): Promise<{ readonly faults: readonly string[]; readonly objects: number }> {
  const first = readSegment(firstSegment, segmentBytes)
  const faults: string[] = []
  let objects = 0
  for (const { name } of await opened.store.list(LOG)) {
    const segment = readSegment(name.slice(LOG.length), segmentBytes)
    if (segment === null || first === null || segment.number < first.number) continue
    onProgress(`checking the log: ${segmentName(segment, segmentBytes)}`)
    const read = await readObject(opened, name)
    if (typeof read === 'string') faults.push(read)
    objects += 1
  }
  return { faults, objects }
}

/** The length of the content, or the fault. */
async function readObject({ key, store }: OpenedStore, name: string): Promise<number | string> {
  const sealed = await store.get(name)
  if (sealed === null) return `The object ${name} is missing.`
  try {
    return (await openObject(key, name, sealed)).content.length
  } catch (error) {
    if (error instanceof SealError) return error.message
    throw error
  }
}
