import type { Invariant } from './invariant.ts'

/** Mails against the customers and portal users that they go to. */
export const mailInvariants: readonly Invariant[] = [
  {
    name: 'mails_stay_with_their_merchant',
    since: 'full run',
    sentence: 'A mail goes to a customer or a portal user of its merchant, about a site of it.',
    sql: `
      select m.merchant_id, m.id as mail_id, m.site_id, m.customer_id, m.portal_user_id
        from mail_messages m
        left join sites s on s.id = m.site_id
        left join customers c on c.id = m.customer_id
        left join portal_users u on u.id = m.portal_user_id
       where (m.site_id is not null and s.merchant_id is distinct from m.merchant_id)
          or (m.customer_id is not null and c.merchant_id is distinct from m.merchant_id)
          or (m.portal_user_id is not null and u.merchant_id is distinct from m.merchant_id)`,
  },
]
