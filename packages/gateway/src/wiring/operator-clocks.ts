import type pg from 'pg'
import { createAuditLog } from '../adapters/postgres/audit/audit-log.ts'
import {
  expiringAuthentications,
  expiringCardTokens,
  expiringOrders,
} from '../adapters/postgres/clocks/site-clock-due.ts'
import { createSiteClockStore } from '../adapters/postgres/clocks/site-clock-store.ts'
import { announceActivity } from '../adapters/postgres/connection/activity-channel.ts'
import type { Database } from '../adapters/postgres/connection/database.ts'
import { upcomingMemberships } from '../adapters/postgres/memberships/membership-charge-store.ts'
import { maskText } from '../base/card-masking.ts'
import { systemClock } from '../base/clock.ts'
import { refused, type Result } from '../base/refusal.ts'
import { readClockCommand } from '../http/sandbox/clock-request.ts'
import { SandboxRequestError } from '../http/sandbox/sandbox-request.ts'
import { createChangeClock, type ClockView } from '../usecases/clocks/change-clock.ts'
import { upcomingAuthentications } from '../usecases/clocks/due-authentications.ts'
import { upcomingCardTokens } from '../usecases/clocks/due-card-tokens.ts'
import { upcomingAuthorizations } from '../usecases/clocks/due-orders.ts'
import type { AgendaEntry } from '../usecases/clocks/due-source.ts'
import { createReadAgenda } from '../usecases/clocks/read-agenda.ts'
import { upcomingRenewals } from '../usecases/memberships/due-renewals.ts'
import type { Mode, SiteInMode } from '../usecases/merchants/merchant-directory.ts'
import { pause } from './foundation.ts'
import { operatorActor } from './operator-actor.ts'

export type { ClockView } from '../usecases/clocks/change-clock.ts'

/** An operator's operations on the clocks of test sites. */
export interface ClockOperator {
  /**
   * `action` and `argument` as on the command line: jump and a time, step and an ISO 8601 duration,
   * speed and a number, stop, reset, show. Waits until the clock is where it was to go.
   */
  change(
    siteId: bigint,
    action: string,
    argument: string,
    onProgress: (view: ClockView) => void,
  ): Promise<Result<{ readonly view: ClockView }>>
  agenda(
    siteId: bigint,
    limit: number,
  ): Promise<Result<{ readonly entries: readonly AgendaEntry[] }>>
}

const LONGEST_WAIT_MS = 24 * 3_600_000

export function createClockOperator(database: Database): ClockOperator {
  const { pool } = database
  const audit = createAuditLog(database)
  const changeClock = createChangeClock({
    store: createSiteClockStore(pool),
    clock: systemClock,
    monotonicMs: () => performance.now(),
    pause,
    wake: () => void announceActivity(pool),
  })
  const readAgenda = createReadAgenda([
    upcomingAuthorizations(expiringOrders(pool)),
    upcomingCardTokens(expiringCardTokens(pool)),
    upcomingAuthentications(expiringAuthentications(pool)),
    upcomingRenewals(upcomingMemberships(pool)),
  ])
  return {
    async change(siteId, action, argument, onProgress) {
      const site = await findSite(pool, siteId)
      if (site === null) return refused('missing', `Site ${siteId} does not exist.`)
      const command = clockCommandOf(action, argument)
      if (typeof command === 'string') return refused('invalid', command)
      const actor = operatorActor()
      const result = await changeClock(site, command, actor, LONGEST_WAIT_MS, onProgress)
      if (command.kind !== 'show') {
        await audit.append({
          actor,
          operation: 'site.clock_changed',
          object: `site ${siteId}`,
          merchantId: site.merchantId,
          result: result.ok ? 'done' : 'refused',
          details: {
            action,
            argument: maskText(argument),
            ...(result.view === null ? {} : { time: result.view.time.toISOString() }),
          },
        })
      }
      return result
    },
    async agenda(siteId, limit) {
      const site = await findSite(pool, siteId)
      if (site === null) return refused('missing', `Site ${siteId} does not exist.`)
      const { entries } = await readAgenda(site, null, limit)
      return { ok: true, entries }
    },
  }
}

/** A sentence for what is no request. */
function clockCommandOf(
  action: string,
  argument: string,
): Exclude<ReturnType<typeof readClockCommand>, null> | string {
  try {
    const command = readClockCommand(action, {
      to: argument,
      by: argument,
      speed: argument === '' ? null : Number(argument),
    })
    return command ?? `There is no "${action}".`
  } catch (error) {
    if (error instanceof SandboxRequestError) return error.message
    throw error
  }
}

async function findSite(
  pool: pg.Pool,
  id: bigint,
): Promise<(SiteInMode & { readonly merchantId: bigint }) | null> {
  const { rows } = await pool.query<{ merchant_id: string; mode: Mode }>(
    'select merchant_id, mode from sites where id = $1',
    [id],
  )
  const row = rows[0]
  return row === undefined ? null : { id, mode: row.mode, merchantId: BigInt(row.merchant_id) }
}
