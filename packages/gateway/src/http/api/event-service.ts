import type { FastifyInstance, FastifyReply } from 'fastify'
import type { FeedAnswer, ReadFeed } from '../../usecases/events/read-feed.ts'
import {
  API_PATH,
  jsonAnswer,
  openApiGate,
  refuseOtherAddresses,
  type ApiAnswer,
  type ApiCall,
  type ApiGateDeps,
  type Refuse,
} from './api-gate.ts'
import { readFeedParameters } from './feed-parameters.ts'
import { createOpenRequests, MOST_POLLS } from './open-requests.ts'

export interface EventServiceDeps extends ApiGateDeps {
  readonly readFeed: ReadFeed
}

export const EVENTS_PATH = `${API_PATH}/events`
/** The name of such a request in the request log. */
export const EVENTS_ACTION = 'GET_EVENTS'

/** The feed of events, for merchants' programs: JSON, and RFC 9457 problems. */
export function eventService(app: FastifyInstance, deps: EventServiceDeps): void {
  const polls = createOpenRequests(MOST_POLLS)
  openApiGate(app, deps).get(EVENTS_PATH, EVENTS_ACTION, answerTo)
  refuseOtherAddresses(app)

  async function answerTo({ query, refuse, reply, user }: ApiCall): Promise<ApiAnswer> {
    const read = readFeedParameters(query)
    if (!read.ok) {
      const { detail, parameter } = read
      return refuse('parameter-invalid', { detail, parameter })
    }
    const { after, limit, siteId, types, waitMs } = read.parameters
    const poll = waitMs === 0 ? null : polls.open(user.id)
    if (poll === false) return refuse('too-many-polls')
    try {
      const signal = signalOf(reply)
      const filter = { merchantId: user.merchantId, siteId, types }
      return layOut(await deps.readFeed({ filter, after, limit, waitMs, signal }), refuse)
    } finally {
      poll?.close()
    }
  }
}

function layOut(answer: FeedAnswer, refuse: Refuse): ApiAnswer {
  switch (answer.kind) {
    case 'page':
      // The events are JSON already.
      return jsonAnswer(
        `{"events":[${answer.events.join(',')}],` +
          `"cursor":${JSON.stringify(answer.cursor)},"has_more":${answer.hasMore}}`,
      )
    case 'cursor_invalid':
      return refuse('cursor-invalid', { parameter: 'after' })
    case 'filter_changed':
      return refuse('filter-changed', { parameter: 'after' })
    case 'cursor_expired':
      return refuse('cursor-expired', { parameter: 'after', cursor: answer.cursor })
    case 'feed_forked':
      return refuse('feed-forked', { parameter: 'after', cursor: answer.cursor })
  }
}

/** Aborted once the client has gone. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController()
  raw.once('close', () => gone.abort())
  return gone.signal
}
