import { createHash } from 'node:crypto'
import { watchOutbox } from '../adapters/metrics/event-metrics.ts'
import { inTime } from '../adapters/metrics/in-time.ts'
import { announceEvents } from '../adapters/postgres/connection/activity-channel.ts'
import { createEventNumbering } from '../adapters/postgres/events/event-numbering.ts'
import { createExpiringOrders } from '../adapters/postgres/events/expiring-orders.ts'
import { createFeedReader } from '../adapters/postgres/events/feed-reader.ts'
import { readOldestFact } from '../adapters/postgres/events/outbox.ts'
import { eventService, type EventServiceDeps } from '../http/api/event-service.ts'
import { schemaService } from '../http/api/schema-service.ts'
import { programPlugin } from '../http/servers/foreign-pages.ts'
import { httpPlugin } from '../http/servers/http-plugin.ts'
import { LONG_IDLE_EVERY_MS } from '../jobs/worker.ts'
import { numberEvents } from '../usecases/events/number-events.ts'
import { createReadFeed } from '../usecases/events/read-feed.ts'
import type { Foundation } from './foundation.ts'
import { SEND_MAILS } from './mail.ts'
import type { Part } from './part.ts'
import { isUnavailable } from './unavailable.ts'
import { DELIVER_WEBHOOKS } from './webhooks.ts'

export const NUMBER_EVENTS = 'number events'
/** Facts of this time are numbered together: a pass costs much more than a fact. */
const NUMBER_EVERY_MS = 200
const FEED_CONNECTIONS = 2
const FEED_TIMEOUT_MS = 5_000
const DIGEST_LENGTH = 12

/** The numbering of events, and the address that reads them. */
export function wireEvents(
  foundation: Foundation,
  access: Pick<EventServiceDeps, 'authenticate' | 'allowRequest' | 'nextRequestId' | 'logRequest'>,
  wake: (job: string) => void,
): Part {
  const { activityChannel, clock, config, database, eventBell, metrics, monotonicMs } = foundation
  const store = createEventNumbering(database.pool)
  const expiring = createExpiringOrders(database.pool)
  let isStopping = false
  watchOutbox(
    metrics.registry,
    inTime(() => readOldestFact(database.pool)),
  )
  const readFeed = createReadFeed({
    reader: createFeedReader(
      database.reports({ connections: FEED_CONNECTIONS, timeoutMs: FEED_TIMEOUT_MS }),
    ),
    bell: eventBell,
    isHeard: activityChannel.isHeard,
    isStopping: () => isStopping,
    digest: (text) => createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_LENGTH),
    monotonicMs,
  })
  return {
    routes: [
      programPlugin(config.publicUrl, eventService, { ...access, readFeed, clock, isUnavailable }),
      httpPlugin(schemaService, {}),
    ],
    jobs: [
      { name: 'announce expiries', everyMs: 60_000, run: () => expiring.announce(clock.now()) },
      {
        name: NUMBER_EVENTS,
        everyMs: NUMBER_EVERY_MS,
        // Without a request, facts come of advices, which wake the job, or of slow jobs.
        idleEveryMs: LONG_IDLE_EVERY_MS,
        restMs: NUMBER_EVERY_MS,
        run: () =>
          numberEvents({
            store,
            async announce(merchants) {
              eventBell.ring(merchants)
              wake(DELIVER_WEBHOOKS)
              wake(SEND_MAILS)
              await announceEvents(database.pool, merchants)
            },
          }),
      },
    ],
    drain() {
      isStopping = true
      eventBell.stop()
      return Promise.resolve()
    },
  }
}
