import type { Invariant } from './invariant.ts'

/** Authentications, and the payments that wait for them or went on with them. */
export const threeDsInvariants: readonly Invariant[] = [
  {
    name: 'pending_payments_await_their_customer',
    sentence: 'A payment is pending exactly while its authentication is open.',
    sql: `
      select coalesce(t.id, a.transaction_id) as transaction_id, a.state as authentication_state
        from (select id from transactions where state = 'pending') t
        full join (select transaction_id, state from three_ds_authentications
                    where state in ('asking', 'challenge', 'result')) a on a.transaction_id = t.id
       where t.id is null or a.transaction_id is null`,
  },
  {
    name: 'authentications_end_with_their_payment',
    sentence:
      'The bank was asked for a payment exactly when its authentication was consumed; any other ' +
      'ended authentication belongs to a declined payment.',
    sql: `
      select a.transaction_id, a.state as authentication_state, t.state, t.to_processor::text
        from three_ds_authentications a
        join transactions t on t.id = a.transaction_id
       where a.state not in ('asking', 'challenge', 'result')
         and (t.to_processor <> (a.state = 'consumed')
              or (a.state <> 'consumed' and t.state <> 'declined'))`,
  },
  {
    name: 'authentications_match_payments',
    sentence:
      'An authentication is about its own payment: its order, account, amount and currency.',
    sql: `
      select a.transaction_id, a.order_id, a.amount_minor, a.currency
        from three_ds_authentications a
        left join transactions t on t.id = a.transaction_id and t.order_id = a.order_id
             and t.merchant_id = a.merchant_id and t.kind = a.kind and t.amount_minor = a.amount_minor
        left join orders o on o.id = a.order_id and o.site_id = a.site_id and o.mode = a.mode
             and o.merchant_account_id = a.merchant_account_id and o.currency = a.currency
       where t.id is null or o.id is null`,
  },
  {
    name: 'used_authentication_values_are_erased',
    sentence: 'No authentication that has ended keeps its authentication value.',
    sql: `
      select transaction_id, state
        from three_ds_authentications
       where cavv_ciphertext is not null and state not in ('asking', 'challenge', 'result')`,
  },
  {
    name: 'security_codes_wait_for_a_final_call',
    sentence: 'A security code of a used card token belongs to a challenge that may still be paid.',
    sql: `
      select c.token_id
        from card_token_codes c
        join card_tokens t on t.id = c.token_id and t.used_at is not null
       where not exists (select from three_ds_authentications a
                          where a.card_token_id = c.token_id
                            and (a.state = 'challenge'
                                 or a.state = 'result' and a.result_status in ('Y', 'A')))`,
  },
  {
    name: 'authentications_end_in_time',
    sentence: 'No payment waits for its customer for longer than it may.',
    isWarning: true,
    sql: `
      select transaction_id, state, expires_at::text
        from three_ds_authentications
       where state in ('asking', 'challenge', 'result') and expires_at < site_time(site_id, now()) - interval '5 minutes'`,
  },
]
