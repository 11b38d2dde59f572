import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '@tollgate/tollgate'
import { processesInside } from '../packages/tollgate/src/running-process.ts'

/** PostgreSQL, started again whenever it dies, until it is stopped. */
export interface KillableDatabase {
  readonly url: string
  isReady(): boolean
  whenReady(): Promise<void>
  /** SIGKILL to the server itself; false when it is dead anyhow. */
  kill(): boolean
  /** SIGKILL to one of its processes, which makes the server recover as after a crash. */
  killBackend(pick: (pids: readonly number[]) => number): boolean
  /** SIGSTOP to the server and all its processes; `resume` goes on with them. */
  pause(): boolean
  resume(): void
  stop(): Promise<void>
}

export async function startKillableDatabase(dataDir: string): Promise<KillableDatabase> {
  let server: EmbeddedPostgres | null = null
  let ready = Promise.withResolvers<void>()
  let stopping = false
  let starting: Promise<void> = Promise.resolve()

  const forget = (): void => {
    server = null
    ready = Promise.withResolvers()
  }
  const start = async (): Promise<EmbeddedPostgres> => {
    const started = await startEmbeddedPostgres({ dataDir })
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
  const { url } = await start()
  const clusterDir = realpathSync(join(dataDir, 'cluster'))
  const children = (): number[] =>
    processesInside(clusterDir).filter((pid) => pid !== server?.pid)

  return {
    url,
    isReady: () => server !== null,
    whenReady: () => ready.promise,
    kill() {
      if (server === null || !signal(server.pid, 'SIGKILL')) return false
      forget()
      return true
    },
    killBackend(pick) {
      const pids = children()
      return server !== null && pids.length > 0 && signal(pick(pids), 'SIGKILL')
    },
    pause() {
      if (server === null || !signal(server.pid, 'SIGSTOP')) return false
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

/** False when there is no such process any more. */
function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}
