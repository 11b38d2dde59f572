import type { FastifyReply } from 'fastify'
import type { FaultyDelivery } from './shop-faults.ts'

/** The parts of an answer as they are written. */
export interface AnswerParts {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Delivers an answer as a test of the shop asks for. `send` writes the whole answer in the usual
 * way. The request was carried out and is in the request log already.
 */
export async function deliverFaultily(
  reply: FastifyReply,
  { kind, delayMs, ...rest }: FaultyDelivery,
  { status, headers, body }: AnswerParts,
  send: () => void,
): Promise<void> {
  const { raw } = reply
  await passed(raw, delayMs)
  // The client has not waited for it.
  if (raw.destroyed) return
  if (kind === 'late' || kind === 'twice') return send()
  reply.hijack()
  const { socket } = raw
  if (socket === null) return
  const bytes = Buffer.from(body)
  const percent = 'percent' in rest ? rest.percent : 0
  if (kind === 'torn') {
    raw.writeHead(status, { ...headers, 'content-length': bytes.length })
    raw.write(bytes.subarray(0, Math.floor((bytes.length * percent) / 100)))
  }
  // Pending bytes still go out; then the connection ends before the promised length.
  socket.destroySoon()
}

/** Waits, but no longer than the client does. */
function passed(raw: FastifyReply['raw'], delayMs: number): Promise<void> {
  if (delayMs === 0) return Promise.resolve()
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, delayMs)
  raw.once('close', () => {
    clearTimeout(timer)
    resolve()
  })
  return promise
}
