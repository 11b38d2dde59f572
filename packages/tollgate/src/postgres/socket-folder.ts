import { createHash } from 'node:crypto'
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StartupError } from '../startup-error.ts'

/**
 * The longest path of a Unix socket, in bytes, on the strictest system (macOS: 104 with the end).
 */
const SOCKET_PATH_MAX = 103
const SOCKET_NAME = '.s.PGSQL.5432'

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, SOCKET_NAME)) <= SOCKET_PATH_MAX
}

/**
 * Whether a folder is closed to others. In a shared folder another user may have created it.
 */
function isPrivate(folder: string, owners: readonly (number | undefined)[]): boolean {
  const state = lstatSync(folder)
  return state.isDirectory() && owners.includes(state.uid) && (state.mode & 0o077) === 0
}

/**
 * Removes a dead server's socket and its lock. PostgreSQL refuses to start while the system knows
 * the id in the lock, even of another or a dead process. The caller made sure that no server runs,
 * and that the folder is ours.
 */
function removeSockets(folder: string): string {
  for (const name of [SOCKET_NAME, `${SOCKET_NAME}.lock`])
    rmSync(join(folder, name), { force: true })
  return folder
}

/**
 * A folder of mode 0700 for the server's socket, inside the data folder. If that path is too long
 * for a socket, it is in the system's folder for temporary files. The name there follows
 * from the data folder, so that one folder serves all starts. `serverUid` is the user that the
 * server runs as, where that is not ours.
 */
export function prepareSocketFolder(dataDir: string, serverUid?: number): string {
  const inside = join(dataDir, 'run')
  if (fits(inside)) {
    mkdirSync(inside, { recursive: true, mode: 0o700 })
    chmodSync(inside, 0o700)
    return removeSockets(inside)
  }
  const name = `tollgate-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
  const owners = [process.getuid?.(), serverUid]
  for (const base of new Set([tmpdir(), '/tmp'])) {
    const folder = join(base, name)
    if (!fits(folder)) continue
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      return isPrivate(folder, owners) ? removeSockets(folder) : mkdtempSync(`${folder}-`)
    } catch {
      continue
    }
  }
  throw new StartupError(
    `The path ${dataDir} is too long for a Unix socket (${SOCKET_PATH_MAX} bytes), and no ` +
      'folder for temporary files can hold it. Set DATA_DIR to a shorter path.',
  )
}
