import { BATCH_STATES } from '../domain/books/batch-states.ts'
import { DISPUTE_ANSWER_STATES } from '../domain/disputes/answer-states.ts'
import { DISPUTE_STATES } from '../domain/disputes/dispute-states.ts'
import { MAIL_STATES } from '../domain/mail/mail-states.ts'
import { MEMBERSHIP_STATES } from '../domain/memberships/membership-states.ts'
import { SITE_STATES } from '../domain/merchants/site-states.ts'
import { ADVICE_STATES } from '../domain/payments/advice-states.ts'
import { ORDER_STATES } from '../domain/payments/order-states.ts'
import { TRANSACTION_STATES } from '../domain/payments/transaction-states.ts'
import {
  BANK_ENTRY_STATES,
  DIFFERENCE_STATES,
  PAYOUT_STATES,
  SETTLED_TRANSACTION_STATES,
  SETTLEMENT_FILE_STATES,
} from '../domain/settlement/settlement-states.ts'
import type { StateTable } from '../domain/states.ts'
import { AUTHENTICATION_STATES } from '../domain/three-ds/authentication-states.ts'
import {
  WEBHOOK_DELIVERY_STATES,
  WEBHOOK_ENDPOINT_STATES,
} from '../domain/webhooks/webhook-states.ts'

/** A table of the database whose rows move between declared states. */
export interface StateMachine {
  readonly title: string
  /** Of the database. */
  readonly table: string
  /** An expression over one row, with `$` for the row; its value is the state. */
  readonly state: string
  readonly states: StateTable<string>
}

/** In the sequence of the page. */
export const STATE_MACHINES: readonly StateMachine[] = [
  { title: 'Transactions', table: 'transactions', state: '$.state', states: TRANSACTION_STATES },
  { title: 'Orders', table: 'orders', state: '$.state', states: ORDER_STATES },
  { title: 'Memberships', table: 'memberships', state: '$.state', states: MEMBERSHIP_STATES },
  { title: 'Advices', table: 'advices', state: '$.state', states: ADVICE_STATES },
  {
    title: 'Authentications',
    table: 'three_ds_authentications',
    state: '$.state',
    states: AUTHENTICATION_STATES,
  },
  {
    title: 'Batches',
    table: 'batches',
    state: `case when $.closed_at is null then 'open'
                 when $.agreement = 'none' then 'closed' else $.agreement end`,
    states: BATCH_STATES,
  },
  {
    title: 'Settlement files',
    table: 'settlement_files',
    state: '$.state',
    states: SETTLEMENT_FILE_STATES,
  },
  {
    title: 'Settled transactions',
    table: 'settled_transactions',
    state: '$.state',
    states: SETTLED_TRANSACTION_STATES,
  },
  {
    title: 'Payouts',
    table: 'settlement_payouts',
    state: '$.state',
    states: PAYOUT_STATES,
  },
  {
    title: 'Entries of bank statements',
    table: 'bank_entries',
    state: '$.state',
    states: BANK_ENTRY_STATES,
  },
  {
    title: 'Settlement differences',
    table: 'settlement_differences',
    state: '$.state',
    states: DIFFERENCE_STATES,
  },
  { title: 'Disputes', table: 'disputes', state: '$.state', states: DISPUTE_STATES },
  {
    title: 'Answers to disputes',
    table: 'dispute_answers',
    state: '$.state',
    states: DISPUTE_ANSWER_STATES,
  },
  {
    title: 'Endpoints of webhooks',
    table: 'webhook_endpoints',
    state: '$.state',
    states: WEBHOOK_ENDPOINT_STATES,
  },
  {
    title: 'Deliveries of webhooks',
    table: 'webhook_deliveries',
    state: '$.state',
    states: WEBHOOK_DELIVERY_STATES,
  },
  { title: 'Mails', table: 'mail_messages', state: '$.state', states: MAIL_STATES },
  { title: 'Sites', table: 'sites', state: '$.mode', states: SITE_STATES },
]
