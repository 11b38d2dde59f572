import { defineStates } from '../states.ts'

export const BATCH_STATES = defineStates({
  open: {
    meaning: 'Approved sales, captures and refunds of the account go into this batch.',
    start: 'The account was created, or its previous batch was closed.',
    next: {
      closing: 'A portal user, a command or the daily job closed the batch: the cut-off.',
      closed: 'A release without batch agreement closed the batch.',
    },
  },
  closing: {
    meaning:
      'The next batch is open. Captures and refunds without an answer of the bank move there.',
    start: null,
    next: {
      agreeing: 'The content is fixed. A 0500 with the totals of each currency is written.',
      closed: 'The content is fixed, and there is nothing to agree with this acquirer.',
    },
  },
  agreeing: {
    meaning: 'Each 0500 is sent until the bank answers it.',
    start: null,
    next: {
      agreed: 'The bank has the same totals in every currency.',
      comparing: 'The bank has other totals in at least one currency.',
    },
  },
  comparing: {
    meaning: 'The gateway fetches the detail from the bank and compares it row by row.',
    start: null,
    next: { differing: 'The detail was compared. The differing rows are stored.' },
  },
  agreed: { meaning: 'Gateway and bank have the same totals.', start: null, next: {} },
  differing: {
    meaning: 'Gateway and bank have other totals. The batch names the rows that differ.',
    start: null,
    next: {},
  },
  closed: {
    meaning: 'The sums of the batch are fixed, without an agreement with the acquirer.',
    start: null,
    next: {},
  },
})

export type BatchState = keyof typeof BATCH_STATES
