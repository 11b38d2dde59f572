import { defineStates } from '../states.ts'

export const SITE_STATES = defineStates({
  test: {
    meaning: 'Payments use test accounts and move no real funds.',
    start: 'Sites are created in test mode.',
    next: { live: 'Two portal users agreed, or an operator ran `tollgate sites set-mode`.' },
  },
  live: {
    meaning: 'Payments use live accounts.',
    start: null,
    next: { test: 'Two portal users agreed, or an operator ran `tollgate sites set-mode`.' },
  },
})
