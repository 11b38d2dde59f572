import type pg from 'pg'

/** When each step of a case happened, by the site's clock. `event` is that of its notice. */
export type CaseDates = {
  readonly account: number
  readonly caseId: string
  readonly event: string
  readonly at: Date
}[]

/** $1 account, $2 case, $3 event, $4 time. */
const DATE_NOTICE = `
update dispute_notices n
   set happened_at = $4,
       network_due = n.network_due
         - ((n.happened_at at time zone 'UTC')::date - ($4::timestamptz at time zone 'UTC')::date)
  from disputes d
 where d.id = n.dispute_id and d.merchant_account_id = $1 and d.case_id = $2 and n.event = $3
returning n.dispute_id, n.answer_id`

const DATE_ANSWER = `
update dispute_answers
   set made_at = $2, sent_at = $2, acknowledged_at = $2 where id = $1`

const DATE_FILES = 'update dispute_files set uploaded_at = $2 where answer_id = $1'

/** Each deadline moves by as many days as the notice that set it. */
const DATE_CASES = `
update disputes d
   set opened_at = x.opened_at, changed_at = x.changed_at,
       charged_at = case when d.is_charged then x.charged_at end,
       ended_at = case when d.ended_at is not null then x.changed_at end,
       respond_by = d.respond_by - (d.network_due - x.network_due), network_due = x.network_due
  from (select n.dispute_id, min(n.happened_at) as opened_at, max(n.happened_at) as changed_at,
               min(n.happened_at) filter (where n.event in ('chargeback', 'rapid_resolution'))
                 as charged_at,
               (array_agg(n.network_due order by n.n desc))[1] as network_due
          from dispute_notices n where n.dispute_id = any ($1::bigint[]) group by n.dispute_id) x
 where d.id = x.dispute_id`

/**
 * Dates cases by the site's clock. The bank dates a notice by its own clock, and the sample's year
 * passes in minutes. Nothing else rewrites notices: the trigger that refuses it is off meanwhile.
 * The ledger and the audit log keep the real time.
 */
export async function dateDisputes(pool: pg.Pool, dates: CaseDates): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      'alter table dispute_notices disable trigger dispute_notices_are_append_only',
    )
    const dated = new Set<string>()
    for (const { account, at, caseId, event } of dates) {
      const { rows } = await client.query<{ dispute_id: string; answer_id: string | null }>(
        DATE_NOTICE,
        [account, caseId, event, at],
      )
      for (const { answer_id: answerId, dispute_id: id } of rows) {
        dated.add(id)
        if (answerId === null) continue
        await client.query(DATE_ANSWER, [answerId, at])
        await client.query(DATE_FILES, [answerId, at])
      }
    }
    await client.query(DATE_CASES, [[...dated]])
    await client.query('alter table dispute_notices enable trigger dispute_notices_are_append_only')
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}
