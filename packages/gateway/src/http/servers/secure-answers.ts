import type { FastifyInstance } from 'fastify'
import { REQUEST_ID_HEADER } from './request-ids.ts'

const YEAR_S = 365 * 24 * 60 * 60

/**
 * Adds the id of its request to every answer, and headers that keep browsers from guessing its
 * type. If HTTPS only is wanted and the answer goes over HTTPS (our own or a trusted proxy's), they
 * also keep browsers from plain HTTP.
 */
export function secureAnswers(app: FastifyInstance, httpsOnly: boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-content-type-options', 'nosniff')
    void reply.header(REQUEST_ID_HEADER, request.id)
    if (httpsOnly && request.protocol === 'https') {
      void reply.header('strict-transport-security', `max-age=${YEAR_S}`)
    }
    done()
  })
}
