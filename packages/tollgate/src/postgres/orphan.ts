import { readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import { commandOf, isAlive, isKnown, processesInside, waitUntil } from '../running-process.ts'
import { StartupError } from '../startup-error.ts'

const FAST_SHUTDOWN_MS = 20_000
const IMMEDIATE_SHUTDOWN_MS = 5_000

/** The process that a cluster's lock file names; null without a lock file. */
function lockHolder(clusterDir: string): number | null {
  try {
    const first = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''
    return /^\d+$/.test(first) ? Number(first) : null
  } catch {
    return null
  }
}

/** Whether a process is this cluster's server, not another process that got the id later. */
function servesCluster(pid: number, clusterDir: string): boolean {
  if (process.platform === 'linux') return processesInside(clusterDir).includes(pid)
  return isAlive(pid) && commandOf(pid).includes(clusterDir)
}

/**
 * Stops the server that a killed supervisor left running on a cluster. Stopping, not adopting: a
 * server that is our own child runs with today's settings, and its end is seen at once. The caller
 * must hold the folder's claim, so that no live supervisor loses its server.
 */
export async function stopOrphan(cluster: string, log: Log): Promise<void> {
  const clusterDir = realpathSync(cluster)
  const pid = lockHolder(clusterDir)
  if (pid !== null && servesCluster(pid, clusterDir)) {
    log.info(`stopping PostgreSQL ${pid}, left running by a process that was killed`)
    await shutDown(pid)
  }
  // Server processes notice the death of their parent and leave; a new server must not meet them.
  const gone = await waitUntil(() => processesInside(clusterDir).length === 0, FAST_SHUTDOWN_MS)
  if (!gone) throw stillThere(clusterDir, processesInside(clusterDir))
  // PostgreSQL refuses to start while the system knows the id in the lock, even of another process
  // or a zombie. Without a server process in the cluster the lock protects nothing.
  if (pid !== null && pid === lockHolder(clusterDir) && isKnown(pid)) {
    rmSync(join(clusterDir, 'postmaster.pid'))
  }
}

async function shutDown(pid: number): Promise<void> {
  for (const [signal, deadlineMs] of [
    ['SIGINT', FAST_SHUTDOWN_MS],
    ['SIGQUIT', IMMEDIATE_SHUTDOWN_MS],
  ] as const) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return
      throw stillThere('its folder', [pid])
    }
    if (await waitUntil(() => !isAlive(pid), deadlineMs)) return
  }
  throw stillThere('its folder', [pid])
}

function stillThere(folder: string, pids: readonly number[]): StartupError {
  return new StartupError(
    `A PostgreSQL that an earlier run left behind in ${folder} does not stop: ` +
      `end process ${pids.join(', ')} and start again.`,
  )
}
