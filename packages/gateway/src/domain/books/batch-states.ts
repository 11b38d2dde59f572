import { defineStates } from '../states.ts'

export const BATCH_STATES = defineStates({
  open: {
    meaning: 'Approved sales, captures and refunds of the account go into this batch.',
    start: 'The account was created, or its previous batch was closed.',
    next: { closed: 'A portal user, a command or the daily job closed the batch.' },
  },
  closed: {
    meaning: 'The sums of the batch are fixed.',
    start: null,
    next: {},
  },
})
