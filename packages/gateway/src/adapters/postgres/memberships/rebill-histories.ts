import type pg from 'pg'
import type {
  RebillHistories,
  RebillHistory,
} from '../../../usecases/memberships/rebill-history.ts'

/** The known facts of subscriptions that merchants manage. */
export function createRebillHistories(pool: pg.Pool): RebillHistories {
  return {
    async find(site, membershipReference) {
      const { rows } = await pool.query<RebillHistory>({
        name: 'find rebill history',
        text: `select count(*)::int as payments,
                      coalesce(bool_or(extras->>'TRANS_REBILL_TYPE' = 'TRIAL'), false) as "hasTrial",
                      count(*) filter (where extras->>'TRANS_REBILL_TYPE' = 'REBILL')::int as rebills,
                      count(*) filter (where extras->>'TRANS_REBILL_TYPE' = 'REBILL'
                        and coalesce(receipt, extras->>'TRANS_CUSTOMER_RECEIPT', '') = '')::int as unreceipted
                 from orders
                where site_id = $1 and membership_reference = $2 and membership_reference <> ''
                  and mode = $3 and state = 'authorized'`,
        values: [site.id, membershipReference, site.mode],
      })
      return rows[0] ?? { payments: 0, hasTrial: false, rebills: 0, unreceipted: 0 }
    },
  }
}
