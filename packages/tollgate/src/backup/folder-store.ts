import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { StoreError, type BackupStore, type StoredObject } from './backup-store.ts'

/** An object that is being written. */
const DRAFT = '.draft-'

/** Backups in a folder, such as one of another disk or of another machine. */
export function folderStore(folder: string): BackupStore {
  const pathOf = (name: string): string => join(folder, ...name.split('/'))
  const refused = (error: unknown): StoreError => {
    const { code, message } = error as NodeJS.ErrnoException
    const advice =
      code === 'EROFS' ? ' A service of systemd may write only where ReadWritePaths allows it.' : ''
    return new StoreError(
      `The backup folder ${folder} cannot be used (${code ?? message}). Mount it, make it ` +
        `writable for the user that runs this, or correct BACKUP_TO.${advice}`,
    )
  }
  return {
    place: folder,
    async put(name, sealed) {
      const path = pathOf(name)
      const draft = `${path}${DRAFT}${randomBytes(4).toString('hex')}`
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await writeSynced(draft, sealed)
        await rename(draft, path)
        await syncFolder(dirname(path))
      } catch (error) {
        await rm(draft, { force: true }).catch(() => undefined)
        throw refused(error)
      }
    },
    async get(name) {
      try {
        return await readFile(pathOf(name))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw refused(error)
      }
    },
    async list(prefix) {
      try {
        const names = await readdir(folder, { recursive: true, withFileTypes: true })
        const files = names
          .filter((entry) => entry.isFile() && !entry.name.includes(DRAFT))
          .map(({ name, parentPath }) => join(parentPath, name))
          .map((path) => ({ path, name: relative(folder, path).split(sep).join('/') }))
          .filter(({ name }) => name.startsWith(prefix))
        const found = await Promise.all(files.map(sized))
        return found
          .filter((object) => object !== null)
          .toSorted((left, right) => (left.name < right.name ? -1 : 1))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
        throw refused(error)
      }
    },
    async remove(name) {
      try {
        await rm(pathOf(name), { force: true })
      } catch (error) {
        throw refused(error)
      }
    },
    close: () => undefined,
  }
}

/** Null for a file that was removed meanwhile. */
async function sized({ name, path }: { name: string; path: string }): Promise<StoredObject | null> {
  try {
    return { name, bytes: (await stat(path)).size }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Writes a new file that is on the disk when this resolves. */
export async function writeSynced(path: string, content: Buffer | string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Makes new names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
