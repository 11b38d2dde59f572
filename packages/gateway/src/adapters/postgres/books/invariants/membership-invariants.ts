import type { Invariant } from './invariant.ts'

/** Memberships, the payments that began them, and the charges of their renewals. */
export const membershipInvariants: readonly Invariant[] = [
  {
    name: 'memberships_begin_with_an_approved_payment',
    sentence:
      'A membership began with a line of an approved order of its customer, which names it.',
    sql: `
      select m.id, m.order_id, m.order_line_id
        from memberships m
        left join orders o on o.id = m.order_id and o.state = 'authorized'
             and o.merchant_id = m.merchant_id and o.site_id = m.site_id and o.mode = m.mode
             and o.customer_id = m.customer_id and o.merchant_account_id = m.merchant_account_id
             and o.currency = m.currency
        left join order_lines l on l.id = m.order_line_id and l.order_id = m.order_id
             and l.membership_id = m.id
       where o.id is null or l.id is null`,
  },
  {
    name: 'lines_name_memberships_of_their_customer',
    sentence: "A line that names a membership belongs to an order of the membership's customer.",
    sql: `
      select l.id, l.membership_id
        from order_lines l
        join orders o on o.id = l.order_id
        left join memberships m on m.id = l.membership_id and m.customer_id = o.customer_id
             and m.site_id = o.site_id and m.mode = o.mode
       where l.membership_id is not null and m.id is null`,
  },
  {
    name: 'memberships_charge_cards_of_their_customer',
    sentence: 'The card of a membership is a saved card of its customer.',
    sql: `
      select m.id, m.payment_method_id
        from memberships m
        left join payment_methods p on p.id = m.payment_method_id and p.customer_id = m.customer_id
             and p.mode = m.mode
       where p.id is null`,
  },
  {
    name: 'memberships_charge_cards_that_are_there',
    sentence: 'The card of a membership that is not over was not taken away.',
    isWarning: true,
    sql: `
      select m.id, m.payment_method_id, p.removed_at::text
        from memberships m
        join payment_methods p on p.id = m.payment_method_id
       where m.over_at is null and p.removed_at is not null`,
  },
  {
    name: 'customers_have_a_membership_once',
    sentence:
      'A customer has one active or past due membership of a product that was sold at a site.',
    isWarning: true,
    sql: `
      with sold as (
        select m.id, m.site_id, m.mode, m.customer_id, m.product
          from memberships m
         where m.state in ('active', 'past_due')
           and not exists (select from order_lines l
                            where l.id = m.order_line_id and l.product <> m.product))
      select site_id, mode, customer_id, product, min(id) as first_id, count(*) as memberships
        from sold group by site_id, mode, customer_id, product having count(*) > 1`,
  },
  {
    name: 'charges_under_way_are_on_record',
    sentence: 'A renewal is being charged exactly while the record of its charge is open.',
    sql: `
      select coalesce(m.id, c.membership_id) as membership_id, m.charge_at::text, c.due_at::text
        from (select id, charge_at, renewal_due_at from memberships where charge_at is not null) m
        full join (select * from membership_charges where outcome = 'open') c
          on c.membership_id = m.id and c.due_at = m.renewal_due_at and c.at = m.charge_at
       where m.id is null or c.membership_id is null`,
  },
  {
    name: 'approved_charges_are_paid',
    sentence:
      'An approved charge of a renewal is an approved order of its amount, whose line names the membership.',
    sql: `
      select c.membership_id, c.due_at::text, c.attempt, c.order_id
        from membership_charges c
        left join orders o on o.id = c.order_id and o.state = 'authorized'
             and o.authorized_minor = c.amount_minor and o.currency = c.currency
        left join order_lines l on l.order_id = o.id and l.membership_id = c.membership_id
       where c.outcome = 'approved' and l.id is null`,
  },
  {
    name: 'paid_renewals_are_charges',
    sentence:
      'An approved payment of a membership is its first one, or an approved charge of a renewal.',
    sql: `
      select o.id, l.membership_id
        from order_lines l
        join orders o on o.id = l.order_id and o.kind = 'payment' and o.state = 'authorized'
        join memberships m on m.id = l.membership_id and m.order_line_id <> l.id
       where not exists (select from membership_charges c
                          where c.order_id = o.id and c.membership_id = m.id
                            and c.outcome in ('approved', 'open'))`,
  },
  {
    name: 'memberships_are_not_late',
    since: 'full run',
    sentence: 'No membership is a quarter of an hour behind what it is to do next.',
    isWarning: true,
    sql: `
      select m.id, m.next_kind, m.next_at::text
        from memberships m
        join sites s on s.id = m.site_id and s.mode = m.mode
       where m.next_at < site_time(m.site_id, now()) - interval '15 minutes'`,
  },
]
