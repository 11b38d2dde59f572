import { startEmbeddedPostgres, type EmbeddedPostgres } from '@tollgate/tollgate'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { processesInside } from '../../packages/tollgate/src/running-process.ts'
import { layCluster, SYNCED, UNSYNCED } from '../../packages/tollgate/test/cluster-template.ts'

const RECOVERY_BEGINS_MS = 100
const LOOK_EVERY_MS = 50

/** PostgreSQL, started again whenever it dies, until it is stopped. */
export interface KillableDatabase {
  readonly url: string
  isReady(): boolean
  whenReady(): Promise<void>
  /** SIGKILL to the server itself; false when it is dead anyhow. */
  kill(): boolean
  /**
   * SIGKILL to one of the processes that serve a client, which makes the server end all of them and
   * recover as after a crash. It is not ready until it takes connections again.
   */
  killBackend(pick: (pids: readonly number[]) => number): boolean
  /** SIGSTOP to the server and all its processes, where it is ready; `resume` continues them. */
  pause(): boolean
  resume(): void
  stop(): Promise<void>
}

/**
 * With sync on, PostgreSQL syncs its whole folder after each kill before it goes on. That costs
 * time and shows little: the writes of a killed process are in the page cache.
 */
export async function startKillableDatabase(
  dataDir: string,
  { synced }: { readonly synced: boolean },
): Promise<KillableDatabase> {
  let server: EmbeddedPostgres | null = null
  let ready = Promise.withResolvers<void>()
  let stopping = false
  let recovering = false
  let starting: Promise<void> = Promise.resolve()

  const forget = (): void => {
    server = null
    ready = Promise.withResolvers()
  }
  const start = async (): Promise<EmbeddedPostgres> => {
    const started = await startEmbeddedPostgres({ dataDir, settings: synced ? SYNCED : UNSYNCED })
    server = started
    ready.resolve()
    void started.exited.then(() => {
      if (server !== null) forget()
      if (stopping) return
      starting = start().then(() => undefined)
      starting.catch((error: unknown) => {
        ready.promise.catch(() => undefined)
        ready.reject(error)
      })
    })
    return started
  }
  layCluster(dataDir)
  const { url } = await start()
  const isReady = (): boolean => server !== null && !recovering
  const clusterDir = realpathSync(join(dataDir, 'cluster'))
  const children = (): number[] => processesInside(clusterDir).filter((pid) => pid !== server?.pid)

  return {
    url,
    isReady,
    whenReady: () => ready.promise,
    kill() {
      if (server === null || !isReady() || !signal(server.pid, 'SIGKILL')) return false
      forget()
      return true
    },
    killBackend(pick) {
      const pids = children().filter(servesClient)
      if (!isReady() || pids.length === 0 || !signal(pick(pids), 'SIGKILL')) return false
      recovering = true
      ready = Promise.withResolvers()
      void untilConnected(url, () => stopping).then(() => {
        recovering = false
        ready.resolve()
      })
      return true
    },
    pause() {
      if (server === null || !isReady() || !signal(server.pid, 'SIGSTOP')) return false
      for (const pid of children()) signal(pid, 'SIGSTOP')
      return true
    },
    resume() {
      for (const pid of processesInside(clusterDir)) signal(pid, 'SIGCONT')
    },
    async stop() {
      stopping = true
      await starting.catch(() => undefined)
      await server?.stop()
    },
  }
}

/** As PostgreSQL names its processes: `postgres: user database [local] ...` serves a client. */
function servesClient(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('[local]')
  } catch {
    return false
  }
}

/** Resolves when the server has ended a crash's recovery, or is ended itself. */
async function untilConnected(url: string, isOver: () => boolean): Promise<void> {
  // The old processes are still there for a moment, and one of them might let us in.
  await pause(RECOVERY_BEGINS_MS)
  while (!isOver()) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return
    } catch {
      await pause(LOOK_EVERY_MS)
    } finally {
      await client.end().catch(() => undefined)
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** False when there is no such process any more. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
