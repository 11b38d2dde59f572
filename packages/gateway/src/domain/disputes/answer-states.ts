import { defineStates } from '../states.ts'

/** The states of a merchant's answer to a dispute. */
export const DISPUTE_ANSWER_STATES = defineStates({
  queued: {
    meaning: 'The answer is stored, and not at the acquirer yet.',
    start: 'A portal user or an operator accepted or contested the case.',
    next: {
      sent: 'The bundled bank took it, or an operator wrote it for the acquirer.',
      acknowledged: 'A notice of the acquirer names it before this side knew that it was taken.',
      refused: 'The bundled bank refused it: the case takes no answer any more.',
    },
  },
  sent: {
    meaning: 'The acquirer has the answer.',
    start: null,
    next: { acknowledged: 'A notice of the acquirer names the answer.' },
  },
  acknowledged: {
    meaning: 'The acquirer filed the answer, or closed the case with it.',
    start: null,
    next: {},
  },
  refused: {
    meaning: 'The acquirer did not take the answer. The same stage may be answered again.',
    start: null,
    next: { acknowledged: 'A notice of the acquirer names the answer after all.' },
  },
})
