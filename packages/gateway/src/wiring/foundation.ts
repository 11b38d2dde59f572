import type { FastifyBaseLogger } from 'fastify'
import type { GatewayMetrics } from '../adapters/metrics/gateway-metrics.ts'
import type { AuditLogStore } from '../adapters/postgres/audit/audit-log.ts'
import type { ActivityChannel } from '../adapters/postgres/connection/activity-channel.ts'
import type { Database } from '../adapters/postgres/connection/database.ts'
import type { Ids } from '../adapters/postgres/connection/id-blocks.ts'
import type { Clock } from '../base/clock.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { Activity } from '../jobs/activity.ts'
import type { SiteClocks } from '../usecases/clocks/site-clocks.ts'
import type { EventBell } from '../usecases/events/event-bell.ts'

/** The dependencies that every part of a gateway process is wired with. */
export interface Foundation {
  readonly config: GatewayConfig
  readonly logger: FastifyBaseLogger
  readonly database: Database
  readonly activity: Activity
  readonly activityChannel: Pick<ActivityChannel, 'start' | 'stop' | 'isHeard'>
  /** Rings when events of a merchant were numbered. */
  readonly eventBell: EventBell
  readonly audit: AuditLogStore
  readonly ids: Ids
  /** Notes how far the sequences are, outside of the database. */
  readonly noteIds: () => Promise<void>
  readonly metrics: GatewayMetrics
  /** The machine's. */
  readonly clock: Clock
  readonly siteClocks: SiteClocks
  readonly monotonicMs: () => number
  /** Names this process among all that run: host and process id. */
  readonly processName: string
  /** How the audit log calls it. */
  readonly actor: string
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
