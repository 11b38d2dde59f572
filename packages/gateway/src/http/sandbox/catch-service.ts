import type { FastifyInstance, FastifyReply } from 'fastify'
import { CAUGHT_BODY_LIMIT } from '../../domain/webhooks/caught-request.ts'
import type { ReceiverAnswer } from '../../domain/webhooks/receiver-answer.ts'
import type { CatchWebhook } from '../../usecases/webhooks/catch-webhook.ts'
import { takeRawBodies } from '../servers/raw-bodies.ts'

export interface CatchServiceDeps {
  readonly catchWebhook: CatchWebhook
  readonly isReady: () => boolean
}

export const CATCH_PATH = '/sandbox/webhooks/receivers'

/** Twice as long as a delivery waits for its answer. */
const HELD_MS = 30_000
/** So slow that a delivery gives up before the last byte. */
const BYTE_EVERY_MS = 500
const LOOK_EVERY_MS = 100

/** The addresses of receivers: no login, because only their id leads there. */
export function catchService(app: FastifyInstance, deps: CatchServiceDeps): void {
  const { catchWebhook, isReady } = deps
  takeRawBodies(app, CAUGHT_BODY_LIMIT)
  app.route<{ Params: { id: string } }>({
    method: 'POST',
    url: `${CATCH_PATH}/:id`,
    async handler(request, reply) {
      if (!isReady()) return reply.code(503).send()
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const answer = await catchWebhook(request.params.id, request.headers, body)
      if (answer === null) return reply.code(404).type('text/plain').send('No such receiver.')
      return give(reply, answer, isReady)
    },
  })
}

/** Ends the request as the receiver was asked to. Nothing holds up the stop of a process. */
async function give(
  reply: FastifyReply,
  { delayMs, manner, retryAfterS, status }: ReceiverAnswer,
  isReady: () => boolean,
): Promise<unknown> {
  await during(reply, delayMs, isReady, () => undefined)
  if (manner === 'answer') {
    if (retryAfterS !== null) void reply.header('retry-after', String(retryAfterS))
    return reply
      .code(status)
      .type('text/plain')
      .send(status === 204 ? undefined : 'caught')
  }
  reply.hijack()
  const { raw } = reply
  if (manner === 'trickle') raw.writeHead(status, { 'content-type': 'text/plain' })
  let sent = 0
  if (manner !== 'close') {
    await during(reply, HELD_MS, isReady, (passedMs) => {
      if (manner !== 'trickle' || passedMs < sent * BYTE_EVERY_MS) return
      raw.write('.')
      sent += 1
    })
  }
  raw.destroy()
  return reply
}

/** Waits, unless the client goes or this process stops; `work` is called now and then. */
function during(
  { raw }: FastifyReply,
  ms: number,
  isReady: () => boolean,
  work: (passedMs: number) => void,
): Promise<void> {
  if (ms === 0) return Promise.resolve()
  return new Promise((resolve) => {
    let passedMs = 0
    const timer = setInterval(() => {
      passedMs += LOOK_EVERY_MS
      if (passedMs < ms && isReady() && !raw.destroyed) return work(passedMs)
      clearInterval(timer)
      resolve()
    }, LOOK_EVERY_MS)
  })
}
