import { LONGEST_PAUSE_MS } from '../../../domain/webhooks/delivery-schedule.ts'

/**
 * SQL: the time of a site's clock, for `site_clocks c` that is left joined.
 * @param machineNow SQL of the machine's time
 */
export function siteNow(machineNow: string): string {
  return `case when c.site_id is null then ${machineNow}
               when c.speed = 1 and c.target_at is null
                 then c.site_at + greatest(${machineNow} - c.real_at, interval '0')
               else c.site_at end`
}

/**
 * SQL: whether a moment has come. One that is too far away was planned by a clock that the site no
 * longer has.
 */
export function hasCome(moment: string, now: string): string {
  return `(${moment} <= ${now} or ${moment} > ${now} + interval '${LONGEST_PAUSE_MS} milliseconds')`
}

/**
 * SQL: whether a due delivery matches, as `hasCome` says it. Each half reads an index from its
 * beginning; both in one condition would read everything that is pending.
 * @param delivery SQL of a query of `webhook_deliveries d` without its time, to follow with `and`
 */
export function someHasCome(delivery: string, now: string): string {
  return `(exists (${delivery} and d.due_at <= ${now})
           or exists (${delivery}
                        and d.due_at > ${now} + interval '${LONGEST_PAUSE_MS} milliseconds'))`
}

/** Retries wait no longer once their endpoint ($1) is enabled again. */
export const BRING_FORWARD = `
update webhook_deliveries d set due_at = least(d.due_at, t.now)
  from (select ${siteNow('clock_timestamp()')} as now
          from webhook_endpoints e left join site_clocks c on c.site_id = e.site_id
         where e.id = $1) t
 where d.endpoint_id = $1 and d.state = 'pending'`
