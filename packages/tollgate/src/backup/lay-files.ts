import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupError } from '../startup-error.ts'
import { syncFolder, writeSynced } from './folder-store.ts'
import { dataPart, type Manifest } from './manifest.ts'
import type { OpenedStore } from './open-store.ts'
import { openObject } from './sealed-object.ts'

/**
 * Writes the files of a backup into a new folder, on the disk, so that a server recovers there.
 * @throws StartupError or SealError for a part that is missing or damaged
 */
export async function layFiles(
  cluster: string,
  backup: Manifest,
  { key, store }: OpenedStore,
  onProgress: (line: string) => void,
): Promise<void> {
  await mkdir(cluster, { mode: 0o700 })
  for (const folder of backup.folders) await mkdir(join(cluster, folder), { mode: 0o700 })
  const contents = readParts(backup, { key, store }, onProgress)
  let rest: Buffer = Buffer.alloc(0)
  for (const [path, bytes] of backup.files) {
    const file = await open(join(cluster, path), 'wx', 0o600)
    try {
      for (let left = bytes; left > 0;) {
        if (rest.length === 0) rest = await nextPart(contents, backup)
        const piece = rest.subarray(0, left)
        await file.writeFile(piece)
        left -= piece.length
        rest = rest.subarray(piece.length)
      }
      await file.sync()
    } finally {
      await file.close()
    }
  }
  for (const folder of ['pg_wal/archive_status', 'pg_wal/summaries']) {
    await mkdir(join(cluster, folder), { recursive: true, mode: 0o700 })
  }
  await writeSynced(join(cluster, 'backup_label'), backup.label)
  await writeSynced(join(cluster, 'recovery.signal'), '')
  for (const folder of [...backup.folders, '']) await syncFolder(join(cluster, folder))
}

async function* readParts(
  backup: Manifest,
  { key, store }: OpenedStore,
  onProgress: (line: string) => void,
): AsyncGenerator<Buffer> {
  for (let part = 1; part <= backup.parts; part += 1) {
    onProgress(`copying part ${part} of ${backup.parts}`)
    const name = dataPart(backup.id, part)
    const sealed = await store.get(name)
    if (sealed === null) {
      throw new StartupError(
        `The backup ${backup.id} lacks its part ${name}. Choose another backup with --to.`,
      )
    }
    yield (await openObject(key, name, sealed)).content
  }
}

async function nextPart(contents: AsyncGenerator<Buffer>, { id }: Manifest): Promise<Buffer> {
  const next = await contents.next()
  if (next.done !== true) return next.value
  throw new StartupError(`The backup ${id} is shorter than its manifest says.`)
}
