import { defineStates } from '../states.ts'

export type MembershipState = keyof typeof MEMBERSHIP_STATES

export const MEMBERSHIP_STATES = defineStates({
  active: {
    meaning: 'The current period is paid, or its renewal is being charged for the first time.',
    start: 'The first payment was approved.',
    next: {
      past_due: 'A renewal failed, and a retry or another card is awaited.',
      cancel_scheduled: 'The membership was cancelled as of its next renewal.',
      cancelled: 'It was cancelled at once, or a renewal failed for good.',
      ended: 'The last period of a product that ends is over.',
    },
  },
  past_due: {
    meaning: 'A renewal failed and is not paid yet.',
    start: null,
    next: {
      active: 'A retry was approved.',
      cancel_scheduled: 'It was cancelled as of its next renewal while a retry was under way.',
      cancelled: 'It was cancelled, no retry is left, or the networks allow none.',
    },
  },
  cancel_scheduled: {
    meaning: 'The current period is the last one.',
    start: null,
    next: {
      cancelled: 'The period is over, it was cancelled at once, or the last charge failed.',
    },
  },
  cancelled: {
    meaning: 'Nothing is charged any more.',
    start: null,
    next: {},
  },
  ended: {
    meaning: 'The product had a last period, and that period is over.',
    start: null,
    next: {},
  },
})
