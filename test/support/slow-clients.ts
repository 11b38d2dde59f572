import { once } from 'node:events'
import { forkRoomy } from './measured-gateway.ts'

/** Ways to hold a connection without using it. */
export const SLOW_KINDS = [
  'silent',
  'silent where TLS is spoken',
  'half a handshake',
  'silent after the handshake',
  'header lines byte by byte',
  'a body byte by byte',
  'answer never read',
  'kept and idle',
] as const
export type SlowKind = (typeof SLOW_KINDS)[number]

export interface SlowClientsOptions {
  readonly kind: SlowKind
  readonly count: number
  /** How long after it was cut a connection is opened again. */
  readonly againAfterMs: number
  /** How many are opened every 20 ms, at most. */
  readonly openedAtOnce: number
  readonly httpUrl: string
  readonly httpsUrl: string
}

export interface SlowClientsReport {
  /** Open now, as far as the clients know. */
  readonly open: number
  /** How many the gateway has ended since the start. */
  readonly cut: number
}

/** Clients of one slow kind, in a process of their own, which open again what is cut. */
export interface SlowClients {
  readonly kind: SlowKind
  report(): Promise<SlowClientsReport>
  /** From now on what is cut stays cut. */
  cease(): Promise<SlowClientsReport>
  stop(): Promise<void>
}

export function startSlowClients(options: SlowClientsOptions): SlowClients {
  const env = { TEST_SLOW_CLIENTS: JSON.stringify(options) }
  const child = forkRoomy('slow-clients-main.ts', env)
  let complaints = ''
  child.stderr?.on('data', (text: Buffer) => (complaints += text.toString()))
  const ended = once(child, 'exit')
  const ask = async (question: 'report' | 'cease'): Promise<SlowClientsReport> => {
    child.send(question)
    const how = await Promise.race([once(child, 'message'), ended.then(() => null)])
    if (how === null) throw new Error(`The slow clients (${options.kind}) ended: ${complaints}`)
    return how[0] as SlowClientsReport
  }
  return {
    kind: options.kind,
    report: () => ask('report'),
    cease: () => ask('cease'),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
