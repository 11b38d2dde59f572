import { defineStates } from '../states.ts'

/** The end of an order's first transaction; `authorized` however much of the money is left. */
export type OrderState = keyof typeof ORDER_STATES

export const ORDER_STATES = defineStates({
  running: {
    meaning: 'The first transaction is running.',
    start: 'A payment or an unreferenced credit passed the checks.',
    next: {
      authorized: 'The first transaction was approved.',
      declined: 'The first transaction was declined.',
      failed: 'The first transaction failed.',
    },
  },
  pending: {
    meaning: 'The payment waits for the end of its 3-D Secure authentication.',
    start: 'A payment asked for 3-D Secure.',
    next: {
      running: 'The authentication was consumed.',
      declined: 'The authentication failed or expired.',
    },
  },
  authorized: {
    meaning: 'The first transaction was approved. Adjustments change the sums, not the state.',
    start: null,
    next: {},
  },
  declined: {
    meaning: 'The first transaction was declined.',
    start: 'A rule declined the payment before the bank was asked.',
    next: {},
  },
  failed: {
    meaning: 'The first transaction failed.',
    start: null,
    next: {},
  },
})
