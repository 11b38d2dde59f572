import type pg from 'pg'
import { CLOCKED_SITES } from '../../../adapters/postgres/clocks/site-clock-rows.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { CODE, MINOR, OUTCOME } from '../../../adapters/postgres/payments/counted-payments.ts'

/**
 * A payment is written some time after its date: it waits for its group's turn, and clocks of
 * machines differ. An older payment is there, or never comes.
 */
const WRITTEN_WITHIN_MS = 5 * 60_000
const STEP = `interval '6 hours'`

/**
 * Adds the next hours of each site to its hours: a few hours with payments at most, and all before
 * its merchant's next payment. It covers transactions since the last time that are old enough, up
 * to the first open payment. The mark moves with the sums in one transaction, so everything counts
 * once, in any process. Sites with a clock of their own are left alone: a moved clock would leave
 * no time for pending transactions. True when there may be more.
 */
export async function rollPaymentHours(pool: pg.Pool, now: Date): Promise<boolean> {
  const until = new Date(now.getTime() - WRITTEN_WITHIN_MS)
  const { more } = await inTransaction(pool, AUDITED, async (client) => {
    await startNewSites(client, until)
    const marks = await lockMarks(client, until)
    const moved = new Set<string>()
    for (const group of groupsInTime(marks)) {
      const { rows } = await client.query<{ site_id: string }>(ROLL, [
        group.map(({ site_id }) => site_id),
        group.map(({ until }) => until),
        group.map(({ target }) => target),
        group[0]?.until,
        new Date(Math.max(...group.map(({ target }) => target.getTime()))),
        [...new Set(group.map(({ merchant_id }) => merchant_id))],
      ])
      for (const { site_id } of rows) moved.add(site_id)
    }
    return {
      ok: true,
      more: marks.some(({ site_id, is_behind }) => is_behind && moved.has(site_id)),
    }
  })
  return more
}

interface Mark {
  readonly site_id: string
  readonly merchant_id: string
  readonly until: Date
  readonly target: Date
  readonly is_behind: boolean
}

/** The marks that no other process has, and where their next step ends. */
async function lockMarks(client: pg.ClientBase, until: Date): Promise<Mark[]> {
  const { rows: locked } = await client.query<{ site_id: string }>(
    `select site_id from payment_hours_until
      where until < $1 and site_id <> all (${CLOCKED_SITES}) for update skip locked`,
    [until],
  )
  if (locked.length === 0) return []
  // A statement that locks would have the end of a step from before another process took it.
  const { rows } = await client.query<Mark>(
    `select site_id, merchant_id, until, target, target < $1 as is_behind
       from payment_hours_until u
      cross join lateral (
        select least($1::timestamptz, greatest(until + ${STEP}, coalesce(min(t.created_at), $1)))
                 as target
          from transactions t
         where t.merchant_id = u.merchant_id and t.created_at >= u.until) as next
      where site_id = any($2::bigint[]) order by until`,
    [until, locked.map(({ site_id }) => site_id)],
  )
  return rows
}

/**
 * Marks in the sequence of time, those together whose hours overlap: one that is far behind
 * must not have everything read that came in since.
 */
function groupsInTime(marks: readonly Mark[]): Mark[][] {
  const groups: Mark[][] = []
  for (const mark of marks) {
    const first = groups.at(-1)?.[0]
    if (first !== undefined && mark.until < first.target) groups.at(-1)?.push(mark)
    else groups.push([mark])
  }
  return groups
}

/** A site begins with its first order, or now when it has none. */
async function startNewSites(client: pg.ClientBase, until: Date): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    'select id from sites where id not in (select site_id from payment_hours_until)',
  )
  if (rows.length === 0) return
  await client.query(
    `insert into payment_hours_until (site_id, merchant_id, until)
     select s.id, s.merchant_id, least(o.first, $2)
       from sites s
       left join (select site_id, min(created_at) as first from orders
                   where site_id = any($1::bigint[]) group by site_id) o on o.site_id = s.id
      where s.id = any($1::bigint[])
     on conflict do nothing`,
    [rows.map(({ id }) => id), until],
  )
}

const ROLL = `
with marks as (
  select * from unnest($1::bigint[], $2::timestamptz[], $3::timestamptz[]) as m (site_id, until, target)
), found as materialized (
  select o.merchant_id, o.site_id, o.currency, t.created_at, t.state, m.target, ${OUTCOME} as outcome,
         ${CODE} as service_code, ${MINOR} as minor
    from transactions t
    join orders o on o.id = t.order_id
    join marks m on m.site_id = o.site_id
   where t.merchant_id = any($6::bigint[]) and t.created_at >= $4 and t.created_at < $5 and t.created_at >= m.until and t.created_at < m.target
     and t.kind in ('authorization', 'sale', 'refund')
), ends as (
  select m.site_id, m.until as was,
         least(m.target, min(f.created_at) filter (where f.state in ('running', 'pending'))) as until
    from marks m left join found f using (site_id)
   group by m.site_id, m.until, m.target
), added as (
  insert into payment_hours as h (merchant_id, site_id, hour, currency, outcome, service_code, payments, amount_minor)
  select f.merchant_id, f.site_id, date_trunc('hour', f.created_at, 'UTC'), f.currency, f.outcome, f.service_code,
         count(*), sum(f.minor)
    from found f join ends e using (site_id)
   where f.outcome is not null and f.created_at < e.until
   group by 1, 2, 3, 4, 5, 6
  on conflict (merchant_id, site_id, hour, currency, outcome, service_code) do update
     set payments = h.payments + excluded.payments, amount_minor = h.amount_minor + excluded.amount_minor
)
update payment_hours_until u set until = e.until
  from ends e where u.site_id = e.site_id and e.until > e.was
returning u.site_id`
