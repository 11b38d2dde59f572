import { defineStates } from '../states.ts'

export const ADVICE_STATES = defineStates({
  queued: {
    meaning: 'The advice is sent until the bank acknowledges it.',
    start: 'A capture, a refund or a reversal was decided.',
    next: {
      acknowledged: 'The bank answered. The response code is stored, a refusal included.',
    },
  },
  acknowledged: {
    meaning: 'The advice is not sent again.',
    start: null,
    next: {},
  },
})
