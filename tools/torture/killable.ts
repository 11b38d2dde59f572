import { fork, type ChildProcess } from 'node:child_process'

export interface KillableOptions {
  readonly name: string
  readonly program: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** The wait before it is started again after a death, in milliseconds. */
  readonly restartMs: number
  /** Receives its stdout and stderr. */
  readonly onOutput: (text: string) => void
}

/** A program that is started again whenever it dies, until it is stopped. */
export interface Killable {
  readonly name: string
  /** True from when it said that it is ready until it ends. */
  isReady(): boolean
  whenReady(): Promise<void>
  /** SIGKILL; false when it was dead anyhow. */
  kill(): boolean
  /** SIGSTOP; false when it is dead. `resume` continues it. */
  pause(): boolean
  resume(): void
  /** SIGTERM, and waits for the end. It is not started again. */
  stop(): Promise<void>
  /** How often it ended without a kill from here, other than by a failed start. */
  readonly ownDeaths: number
}

export function startKillable(options: KillableOptions): Killable {
  let child: ChildProcess | null = null
  let ready = Promise.withResolvers<void>()
  let isReady = false
  let stopping = false
  let wasKilled = false
  let ownDeaths = 0
  let restart: NodeJS.Timeout | undefined
  let ended = Promise.withResolvers<void>()

  const forget = (): void => {
    if (isReady) ready = Promise.withResolvers<void>()
    isReady = false
  }
  const start = (): void => {
    ended = Promise.withResolvers<void>()
    wasKilled = false
    const started = fork(options.program, [], {
      env: { ...options.env },
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // Not our own options: with them it would run the sources and not the build.
      execArgv: [],
    })
    child = started
    started.stdout?.on('data', (chunk: Buffer) => options.onOutput(chunk.toString()))
    started.stderr?.on('data', (chunk: Buffer) => options.onOutput(chunk.toString()))
    const startedAt = performance.now()
    started.on('message', () => {
      // The vault process reports its figures after that.
      if (wasKilled || isReady) return
      const tookMs = Math.round(performance.now() - startedAt)
      options.onOutput(`${options.name} was ready after ${tookMs} ms\n`)
      isReady = true
      ready.resolve()
    })
    started.once('exit', (code, signal) => {
      if (isReady && !wasKilled && !stopping) {
        ownDeaths += 1
        options.onOutput(`${options.name} ended by itself with ${signal ?? `exit code ${code}`}\n`)
      }
      child = null
      forget()
      ended.resolve()
      if (!stopping) restart = setTimeout(start, options.restartMs)
    })
  }
  start()

  return {
    name: options.name,
    isReady: () => isReady,
    whenReady: () => ready.promise,
    kill() {
      if (child === null) return false
      wasKilled = true
      forget()
      return child.kill('SIGKILL')
    },
    pause: () => child?.kill('SIGSTOP') ?? false,
    resume: () => void child?.kill('SIGCONT'),
    async stop() {
      stopping = true
      clearTimeout(restart)
      if (child === null) return
      child.kill('SIGCONT')
      child.kill('SIGTERM')
      await ended.promise
    },
    get ownDeaths() {
      return ownDeaths
    },
  }
}
