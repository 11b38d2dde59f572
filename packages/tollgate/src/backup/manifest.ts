import { StartupError } from '../startup-error.ts'
import type { OpenedStore } from './open-store.ts'
import { openObject, sealObject } from './sealed-object.ts'

/** The names of copies of the cluster in a store begin so. */
const BASE = 'base/'
const MANIFEST = 'manifest'
/** Of what is in a manifest. A newer program may write another. */
const FORMAT = 1

/** One copy of the cluster. It exists once its manifest does, which is written last. */
export interface Manifest {
  /** Begins with the time of its start. */
  readonly id: string
  readonly systemIdentifier: string
  readonly postgresVersion: string
  readonly timeline: number
  readonly segmentBytes: number
  readonly startedAt: string
  /** A restore can reach this moment and every later one that the log has. */
  readonly endedAt: string
  /** The log that makes the copy consistent. */
  readonly firstSegment: string
  readonly lastSegment: string
  /** The content of `backup_label`. */
  readonly label: string
  readonly folders: readonly string[]
  /** Path and length of each file, in the sequence of their contents in the parts. */
  readonly files: readonly (readonly [path: string, bytes: number])[]
  readonly parts: number
  readonly bytes: number
  readonly storedBytes: number
}

export function dataPart(id: string, part: number): string {
  return `${BASE}${id}/data-${String(part).padStart(6, '0')}`
}

export async function writeManifest({ key, store }: OpenedStore, manifest: Manifest) {
  const name = `${BASE}${manifest.id}/${MANIFEST}`
  const content = Buffer.from(JSON.stringify(manifest))
  await store.put(name, await sealObject(key, name, { format: FORMAT }, content))
}

/** The ids of the copies in a store, oldest first; also those without a manifest where wanted. */
export async function listBackups(
  { store }: Pick<OpenedStore, 'store'>,
  which: 'complete' | 'all' = 'complete',
): Promise<readonly string[]> {
  const ids = new Set<string>()
  for (const { name } of await store.list(BASE)) {
    const [, id = '', file] = name.split('/')
    if (which === 'all' || file === MANIFEST) ids.add(id)
  }
  return [...ids].toSorted()
}

/** The time of a copy's start, out of its id; null for a name that is none. */
export function startOfBackup(id: string): Date | null {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z-/.exec(id) ?? []
  const [year, month, day, hour, minute, second] = parts
  if (second === undefined) return null
  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}

/** The names of everything that a copy consists of, its manifest first. */
export async function objectsOf({ store }: OpenedStore, id: string): Promise<readonly string[]> {
  const names = (await store.list(`${BASE}${id}/`)).map(({ name }) => name)
  return names.toSorted((left, right) => Number(isManifest(right)) - Number(isManifest(left)))
}

function isManifest(name: string): boolean {
  return name.endsWith(`/${MANIFEST}`)
}

/** @throws StartupError for one of a newer program, SealError for a damaged one */
export async function readManifest({ key, store }: OpenedStore, id: string): Promise<Manifest> {
  const name = `${BASE}${id}/${MANIFEST}`
  const sealed = await store.get(name)
  if (sealed === null) throw new StartupError(`There is no backup ${id} in ${store.place}.`)
  const { content, facts } = await openObject(key, name, sealed)
  if (facts['format'] !== FORMAT) {
    throw new StartupError(
      `The backup ${id} has the format ${String(facts['format'])}, and this version reads the ` +
        `format ${FORMAT}: use the newer version that made it.`,
    )
  }
  return JSON.parse(content.toString()) as Manifest
}
