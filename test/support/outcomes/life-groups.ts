import { DISPUTE_STATES } from '../../../packages/gateway/src/domain/disputes/dispute-states.ts'
import { EVENT_TYPES } from '../../../packages/gateway/src/domain/events/event-types.ts'
import {
  CANCEL_REASONS,
  TERM,
} from '../../../packages/gateway/src/domain/memberships/membership-facts.ts'
import { MEMBERSHIP_STATES } from '../../../packages/gateway/src/domain/memberships/membership-states.ts'
import { TRANSACTION_STATES } from '../../../packages/gateway/src/domain/payments/transaction-states.ts'
import { ACTION_OF } from '../../../packages/gateway/src/http/payment/transaction-record.ts'
import type { OrderEvent } from '../../../packages/gateway/src/usecases/payments/order-status.ts'
import { TESTS } from './other-tests.ts'
import type { OutcomeGroup } from './outcome-group.ts'

/** TRANS_ORIGIN of a row; the type makes a new origin enter here. */
const ORIGINS: Readonly<Record<OrderEvent['origin'], true>> = {
  api: true,
  portal: true,
  rebill: true,
  resolver: true,
  expiry: true,
}

/** The types of events about the money of captures and refunds. */
export const SETTLEMENT_EVENTS = Object.keys(EVENT_TYPES).filter((type) =>
  /^(?:capture|refund|batch|settlement|payout)\./.test(type),
)

const upper = (states: object): string[] => Object.keys(states).map((name) => name.toUpperCase())

export const LIFE_GROUPS = {
  rows: {
    title: 'Rows of CCSTATUS',
    documented: [
      ...Object.values(ACTION_OF),
      ...upper(TRANSACTION_STATES),
      ...upper(ORIGINS).map((origin) => `origin ${origin}`),
      'not settled',
      'settled',
    ],
    elsewhere: {
      RUNNING: TESTS.running,
      'origin PORTAL': TESTS.portalRow,
      'origin RESOLVER': TESTS.resolverRow,
    },
  },
  membership: { title: 'States of memberships', documented: upper(MEMBERSHIP_STATES) },
  ending: { title: 'Reasons why memberships end', documented: [...CANCEL_REASONS, TERM] },
  settlement: {
    title: 'Events of captures, refunds, batches, settlement and payouts',
    documented: SETTLEMENT_EVENTS,
    elsewhere: {
      'batch.differs': TESTS.differingBatch,
      'settlement.difference': TESTS.settlementDifference,
      'settlement.cleared': TESTS.settlementDifference,
      'payout.deposited': TESTS.deposit,
      'payout.returned': TESTS.returnedPayout,
    },
  },
  dispute: { title: 'States of disputes', documented: upper(DISPUTE_STATES) },
} as const satisfies Readonly<Record<string, OutcomeGroup>>
