import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import type { HttpLimits } from '../../packages/gateway/src/http/servers/http-limits.ts'
import { builtProgram } from '../../packages/tollgate/test/built-program.ts'
import { CHILD_ENVIRONMENT } from '../../packages/tollgate/test/child-environment.ts'

/** The connections, files and memory of a gateway. */
export interface GatewayUsage {
  readonly connections: number
  /** Connections that it cut to have room for others, since its start. */
  readonly cutForRoom: number
  readonly descriptors: number
  readonly residentBytes: number
  /** On the heap and in buffers. */
  readonly usedBytes: number
}

/** A gateway in a process of its own, with a test's limits. */
export interface MeasuredGateway {
  readonly httpUrl: string
  readonly httpsUrl: string
  usage(): Promise<GatewayUsage>
  /** The same, after a garbage collection. */
  usageAfterCollection(): Promise<GatewayUsage>
  log(): string
  stop(): Promise<void>
}

const WANTED_FILES = 12_000

/**
 * Runs a program of `test/support` in a process that may open as many files as the machine allows,
 * up to what the tests want.
 */
export function forkRoomy(
  file: string,
  env: Readonly<Record<string, string>>,
  nodeOptions: readonly string[] = [],
): ChildProcess {
  const path = builtProgram(new URL(file, import.meta.url))
  const raised = `ulimit -n ${WANTED_FILES} 2>/dev/null || ulimit -n $(ulimit -Hn); exec "$@"`
  const node = [process.execPath, '--conditions=tollgate-source', ...nodeOptions, path]
  const child = spawn('bash', ['-c', raised, 'bash', ...node], {
    cwd: tmpdir(),
    env: { ...CHILD_ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  // A test that fails halfway must not leave it running.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

export async function startMeasuredGateway(
  settings: Readonly<Record<string, string>>,
  limits: Partial<HttpLimits>,
): Promise<MeasuredGateway> {
  const env = { ...settings, PORT: '0', TLS_PORT: '0', TEST_HTTP_LIMITS: JSON.stringify(limits) }
  const child = forkRoomy('measured-gateway-main.ts', env, ['--expose-gc'])
  let log = ''
  child.stdout?.on('data', (text: Buffer) => (log += text.toString()))
  child.stderr?.on('data', (text: Buffer) => (log += text.toString()))
  const ended = once(child, 'exit')
  const next = async (): Promise<unknown> => {
    const how = await Promise.race([once(child, 'message'), ended.then(() => null)])
    if (how === null) throw new Error(`The gateway ended: ${log}`)
    return how[0]
  }
  const ask = async (question: 'usage' | 'usage after collection'): Promise<GatewayUsage> => {
    child.send(question)
    return (await next()) as GatewayUsage
  }
  const { addresses } = (await next()) as { readonly addresses: readonly string[] }
  const [httpUrl = '', httpsUrl = ''] = addresses
  return {
    httpUrl,
    httpsUrl,
    usage: () => ask('usage'),
    usageAfterCollection: () => ask('usage after collection'),
    log: () => log,
    async stop() {
      if (child.connected) child.send('stop')
      await ended
    },
  }
}
