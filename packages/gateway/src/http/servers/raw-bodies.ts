import type { FastifyInstance } from 'fastify'

/** In bytes. Above any form of the gateway, and small enough to hold thousands at once. */
export const FORM_LIMIT = 64 * 1024

/** Has bodies of every type come as the bytes that were sent. `limit`: in bytes. */
export function takeRawBodies(app: FastifyInstance, limit: number): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: limit }, (_request, body, done) =>
    done(null, body),
  )
}
