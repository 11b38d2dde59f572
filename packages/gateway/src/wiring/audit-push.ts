import { hostname } from 'node:os'
import { createHttpReceiver } from '../adapters/audit-push/http-receiver.ts'
import { createSyslogReceiver } from '../adapters/audit-push/syslog-receiver.ts'
import { watchAuditPush } from '../adapters/metrics/audit-push-metrics.ts'
import { inTime } from '../adapters/metrics/in-time.ts'
import {
  createAuditPushStore,
  readAuditPushLag,
} from '../adapters/postgres/audit/audit-push-store.ts'
import { reasonOf } from '../adapters/postgres/connection/await-database.ts'
import type { AuditPushConfig } from '../config/derived-config.ts'
import { createPushAudit, type SendEntries } from '../usecases/audit/push-audit.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'

const LOOK_EVERY_MS = 2_000
const RETRY_MS = 5_000
const BATCH = 500
/** Shorter than the lease. */
const EXCHANGE_MS = 30_000
/** Longer than the way to a receiver and back. */
const SETTLE_MS = 250

/** Sends entries to the receiver that the settings name. */
export function senderOf(config: AuditPushConfig): SendEntries {
  const receiver = {
    ...config,
    url: new URL(config.url),
    exchangeMs: EXCHANGE_MS,
    settleMs: SETTLE_MS,
  }
  return receiver.url.protocol.startsWith('syslog')
    ? createSyslogReceiver(receiver, { host: hostname(), processId: process.pid })
    : createHttpReceiver(receiver)
}

/** Sends the audit log to the operator's receiver. */
export function wireAuditPush({ config, database, logger, metrics }: Foundation): Part {
  const { auditPush } = config
  const none = { entries: 0, seconds: 0 }
  const countFailure = watchAuditPush(
    metrics.registry,
    auditPush === null
      ? () => Promise.resolve(none)
      : inTime(() => readAuditPushLag(database.pool)),
  )
  if (auditPush === null) return {}
  const run = createPushAudit({
    store: createAuditPushStore(database.pool),
    send: senderOf(auditPush),
    batch: BATCH,
    retryMs: RETRY_MS,
    onFailure(error) {
      countFailure()
      logger.warn(
        { error: reasonOf(error) },
        'the receiver did not take the audit log, which waits',
      )
    },
  })
  return { jobs: [{ name: 'push audit log', everyMs: LOOK_EVERY_MS, run }] }
}
