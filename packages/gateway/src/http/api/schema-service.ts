import type { FastifyInstance } from 'fastify'
import { EVENT_TYPE_NAMES } from '../../domain/events/event-types.ts'
import { eventSchema, SCHEMAS_PATH } from './event-schemas.ts'
import { problemBody, PROBLEMS } from './problems.ts'

/** The schemas of events, at the addresses that events name. */
export function schemaService(app: FastifyInstance): void {
  const schemas = new Map<string, string>(
    EVENT_TYPE_NAMES.map((type) => [`${type}.json`, JSON.stringify(eventSchema(type))]),
  )
  app.get<{ Params: { file: string } }>(`${SCHEMAS_PATH}/:file`, (request, reply) => {
    const schema = schemas.get(request.params.file)
    if (schema === undefined) {
      return reply
        .code(PROBLEMS['not-found'].status)
        .header('content-type', 'application/problem+json')
        .send(problemBody('not-found', null, {}))
    }
    return reply.header('content-type', 'application/schema+json').send(schema)
  })
}
