import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'
import { layCluster } from '../../packages/tollgate/test/cluster-template.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { watch } from '../../packages/tollgate/test/program.ts'
import { nodeProcessesBelow } from './processes.ts'

/** A Tollgate of its own, as `npm start` runs it: supervisor, bank, gateways and PostgreSQL. */
export interface StartedProgram {
  readonly httpPort: number
  readonly tlsPort: number
  readonly bankPort: number
  readonly pid: number
  /** Its data, which `stop` deletes. */
  readonly dataDir: string
  /** Deaths since the start, a sentence each; empty as it should be. */
  deaths(): string[]
  /**
   * Waits until nothing waits for the bank, and runs `verify` and `recon`; null when both agree.
   */
  compareBooks(): Promise<string | null>
  /** The metrics as Prometheus reads them. */
  metrics(): Promise<string>
  /** The program's last output, to find the reason of a failure. */
  saidLast(): string
  stop(): Promise<void>
}

export interface ProgramSettings {
  /** More settings of the program. */
  readonly env?: Readonly<Record<string, string>>
  /** More options for each Node process. */
  readonly nodeOptions?: string
  /** Gateway processes. */
  readonly workers?: number
}

const CLI = builtProgram(new URL('../../packages/tollgate/src/cli.ts', import.meta.url))
const LOOK_AGAIN_MS = 500
const QUIET_DEADLINE_MS = 240_000
const SHOWN = 2_000

/** Starts it from its sources or their bundle, and waits until it takes payments. */
export async function startProgram(settings: ProgramSettings = {}): Promise<StartedProgram> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-fuzz-'))
  const [httpPort = 0, tlsPort = 0, bankPort = 0, controlPort = 0, metricsPort = 0] =
    await freePorts(5)
  const dataDir = join(folder, 'data')
  const env = {
    ...CHILD_ENVIRONMENT,
    NODE_OPTIONS: `--conditions=tollgate-source ${settings.nodeOptions ?? ''}`.trim(),
    PORT: String(httpPort),
    TLS_PORT: String(tlsPort),
    BANK_PORT: String(bankPort),
    BANK_CONTROL_PORT: String(controlPort),
    METRICS_PORT: String(metricsPort),
    DATA_DIR: dataDir,
    WORKERS: String(settings.workers ?? 1),
    // Wrong passwords are part of the input, and amounts that the bank never answers.
    LOGIN_FAILURE_LIMIT: '1000000',
    BANK_TIMEOUT_MS: '1000',
    ...settings.env,
  }
  const clear = () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 })
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  layCluster(join(dataDir, 'postgres'))
  const supervisor = watch(
    spawn(process.execPath, [CLI], { cwd: folder, env, stdio: [...stdio] }),
    '',
  )
  try {
    await supervisor.line(/^tollgate ready/m)
  } catch (error) {
    supervisor.child.kill('SIGTERM')
    await supervisor.end()
    clear()
    throw error
  }
  const pid = supervisor.child.pid ?? 0
  const atStart = nodeProcessesBelow(pid)

  const command = (args: readonly string[]): Promise<{ code: number; said: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, [CLI, ...args], { cwd: folder, env }, (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : 1
        resolve({ code: error === null ? 0 : code, said: `${stdout}${stderr}`.trim() })
      })
    })
  const untilQuiet = async (): Promise<string | null> => {
    const end = performance.now() + QUIET_DEADLINE_MS
    while (performance.now() < end) {
      const { code, said } = await command(['queue', '--json'])
      if (code !== 0) return `"tollgate queue" ended with ${code}: ${said}`
      if ((JSON.parse(said) as { longest: unknown[] }).longest.length === 0) return null
      await new Promise((wake) => setTimeout(wake, LOOK_AGAIN_MS))
    }
    return `Something still waited for the bank after ${QUIET_DEADLINE_MS / 1_000} seconds of quiet.`
  }
  return {
    httpPort,
    tlsPort,
    bankPort,
    pid,
    dataDir,
    deaths() {
      const sentences = supervisor.output().match(/^.*\bended with\b.*$/gm) ?? []
      const now = new Set(nodeProcessesBelow(pid))
      const gone = atStart.filter((process) => !now.has(process))
      return [...sentences, ...gone.map((process) => `Process ${process} is gone.`)]
    },
    async compareBooks() {
      const waits = await untilQuiet()
      if (waits !== null) return waits
      for (const name of ['verify', 'recon']) {
        const { code, said } = await command([name])
        if (code !== 0) return `"tollgate ${name}" ended with ${code}:\n${said}`
      }
      return null
    },
    metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    saidLast: () => supervisor.output().slice(-SHOWN),
    async stop() {
      supervisor.child.kill('SIGTERM')
      await supervisor.end()
      clear()
    },
  }
}
