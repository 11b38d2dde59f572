import { defineStates } from '../states.ts'

export type TransactionState = keyof typeof TRANSACTION_STATES

export const TRANSACTION_STATES = defineStates({
  running: {
    meaning: 'The intent is written; the outcome of the bank message is not.',
    start: 'A payment or an unreferenced credit passed the checks.',
    next: {
      approved: 'The bank approved, and no rule refused the approval.',
      declined:
        'The bank declined, a rule refused the approval, or a check failed after the intent.',
      failed: 'The message was not sent, or its outcome is unknown; unknown queues a reversal.',
    },
  },
  pending: {
    meaning: 'The payment waits for the end of its 3-D Secure authentication.',
    start: 'A payment asked for 3-D Secure.',
    next: {
      running: 'The authentication was consumed; the bank message is about to leave.',
      declined: 'The authentication failed or expired; the bank was not asked.',
    },
  },
  approved: {
    meaning: 'The bank holds or moves the amount, or an adjustment is decided.',
    start: 'A capture, refund or void was decided; an advice informs the bank.',
    next: {},
  },
  declined: {
    meaning: 'The payment moves no funds.',
    start: 'A rule declined the payment before the bank was asked.',
    next: {},
  },
  failed: {
    meaning: 'The payment moves no funds, and is reversed if the bank may hold the amount.',
    start: null,
    next: {},
  },
})
