import type { FastifyBaseLogger } from 'fastify'
import { hostname } from 'node:os'
import { createGatewayMetrics } from '../adapters/metrics/gateway-metrics.ts'
import { createAuditLog } from '../adapters/postgres/audit/audit-log.ts'
import { createSiteClocks } from '../adapters/postgres/clocks/site-clock-memory.ts'
import { createActivityChannel } from '../adapters/postgres/connection/activity-channel.ts'
import { awaitDatabase } from '../adapters/postgres/connection/await-database.ts'
import type { DatabaseAddress } from '../adapters/postgres/connection/cluster-memory.ts'
import { openDatabase } from '../adapters/postgres/connection/database.ts'
import { createIds } from '../adapters/postgres/connection/id-blocks.ts'
import { readMigrations } from '../adapters/postgres/connection/migration-files.ts'
import { assertSchemaFits } from '../adapters/postgres/connection/schema-fit.ts'
import { systemClock, type Clock } from '../base/clock.ts'
import type { GatewayConfig } from '../config/config.ts'
import { EVENTS_ACTION } from '../http/api/event-service.ts'
import { ACTION_NAMES } from '../http/payment/actions.ts'
import { PREPARE_ACTION } from '../http/three-ds/prepare-service.ts'
import { TOKEN_ACTION } from '../http/tokens/token-service.ts'
import { createActivity } from '../jobs/activity.ts'
import { createEventBell } from '../usecases/events/event-bell.ts'
import { pause, type Foundation } from './foundation.ts'
import { guardIds } from './guard-ids.ts'
import { MIGRATIONS_FOLDER } from './migrations-folder.ts'
import { stopOnFailure } from './part.ts'

export interface FoundationOptions {
  readonly config: GatewayConfig
  readonly databaseUrl: DatabaseAddress
  readonly logger: FastifyBaseLogger
  readonly clock?: Clock
}

/** Waits for the database, and makes what every part leans on. */
export async function layFoundation(options: FoundationOptions): Promise<Foundation> {
  const { config, logger } = options
  const monotonicMs = (): number => performance.now()
  const processName = `${hostname()}:${process.pid}`
  const database = openDatabase(
    options.databaseUrl,
    (error) => logger.warn({ error: error.message }, 'a database connection was lost'),
    (reason) => logger.error({ reason }, 'no server of DATABASE_URL may be written to'),
  )
  const actor = `gateway:${processName}`
  const guard = await stopOnFailure(logger, [{ stop: database.close }], async () => {
    await awaitDatabase({
      ask: () => database.pool.query('select 1'),
      limitMs: config.databaseWaitMs,
      monotonicMs,
      pause,
      onWaiting: (reason, waitedS) =>
        logger.warn({ reason, waitedS }, 'waiting for the database at DATABASE_URL'),
    })
    await assertSchemaFits(database.pool, (await readMigrations(MIGRATIONS_FOLDER)).length)
    return guardIds({ config, logger, pool: database.pool, actor })
  })

  const clock = options.clock ?? systemClock
  const eventBell = createEventBell()
  const activityChannel = createActivityChannel({
    pool: database.pool,
    listening: database.listening(),
    onAnnouncement: () => activity.touch(),
    onEvents: (merchants) => eventBell.ring(merchants),
  })
  const { announce, isHeard } = activityChannel
  const activity = createActivity({ monotonicMs, announce, isHeard })
  return {
    config,
    logger,
    database,
    activity,
    activityChannel,
    eventBell,
    audit: createAuditLog(database),
    ids: createIds(database.pool, guard, monotonicMs),
    noteIds: guard.note,
    metrics: createGatewayMetrics([...ACTION_NAMES, TOKEN_ACTION, PREPARE_ACTION, EVENTS_ACTION]),
    clock,
    siteClocks: createSiteClocks(database.pool, clock, monotonicMs),
    monotonicMs,
    processName,
    actor,
  }
}
