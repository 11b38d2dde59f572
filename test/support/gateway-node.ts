import { fork } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'

const MAIN = builtProgram(new URL('../../packages/gateway/src/main.ts', import.meta.url))

/** A gateway in a process of its own, as the supervisor runs it. */
export interface GatewayNode {
  readonly baseUrl: string
  readonly pid: number
  /** SIGTERM; the exit code, or the signal's name. */
  stop(): Promise<number | string>
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>
  /** Its standard error so far. A node that works well writes nothing there. */
  complaints(): string
  log(): string
}

const SKEWED_CLOCK = new URL('skewed-clock.ts', import.meta.url)

function skew(ms: number): readonly string[] {
  return ms === 0 ? [] : [`--import=${SKEWED_CLOCK.href}?ms=${ms}`]
}

/**
 * Starts one and resolves when it serves; rejects with what it said when it ends before.
 * @param clockAheadMs how far its machine's clock is ahead of this one; below zero, behind
 */
export async function startGatewayNode(
  settings: Readonly<Record<string, string>>,
  onLog: (text: string) => void = () => undefined,
  clockAheadMs = 0,
): Promise<GatewayNode> {
  const child = fork(MAIN, [], {
    cwd: tmpdir(),
    execArgv: ['--conditions=tollgate-source', ...skew(clockAheadMs)],
    env: { ...CHILD_ENVIRONMENT, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let complaints = ''
  let log = ''
  child.stdout?.on('data', (text: Buffer) => {
    log += text.toString()
    onLog(text.toString())
  })
  child.stderr?.on('data', (text: Buffer) => (complaints += text.toString()))
  const ended = once(child, 'close') as Promise<[number | null, string | null]>
  const ready = once(child, 'message')
  const how = await Promise.race([ready.then(() => null), ended.then(([code]) => code ?? 'killed')])
  if (how !== null) throw new Error(`The node ended with ${how} before it served: ${complaints}`)
  return {
    pid: child.pid ?? 0,
    baseUrl: `http://127.0.0.1:${settings['PORT'] ?? '8080'}`,
    async stop() {
      child.kill('SIGTERM')
      const [code, signal] = await ended
      return code ?? signal ?? 'killed'
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    complaints: () => complaints,
    log: () => log,
  }
}
