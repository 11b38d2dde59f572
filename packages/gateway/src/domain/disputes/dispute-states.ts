import { defineStates } from '../states.ts'

/** The states of a case. An acquirer's notice moves it, and nothing else. */
export const DISPUTE_STATES = defineStates({
  inquiry: {
    meaning: 'The issuer asks for information. No money moves, and refunds are possible.',
    start: 'A notice of an inquiry came.',
    next: {
      represented: 'The acquirer filed the answer.',
      chargeback: 'The issuer takes the money after all.',
      accepted: 'The merchant accepted; it refunds the payment itself.',
      withdrawn: 'The inquiry was closed.',
    },
  },
  reported: {
    meaning: 'An issuer reported fraud. It counts for the monitoring programmes; no money moves.',
    start: 'A notice of a fraud report came.',
    next: {},
  },
  chargeback: {
    meaning: 'The issuer takes the money. The merchant may answer until the deadline.',
    start: 'A notice of a chargeback came.',
    next: {
      represented: 'The acquirer filed the answer with its evidence.',
      pre_arbitration: 'The issuer goes on before an answer was filed.',
      arbitration: 'The network decides, before an answer was filed.',
      accepted: 'The merchant accepted.',
      won: 'The issuer gave up.',
      lost: 'No answer came in time, or the issuer won.',
      withdrawn: 'The cardholder withdrew.',
    },
  },
  represented: {
    meaning: 'The answer is filed, and the other side decides.',
    start: null,
    next: {
      chargeback: 'The issuer takes the money after an inquiry was answered.',
      pre_arbitration: 'The issuer does not agree.',
      arbitration: 'The network decides.',
      accepted: 'The merchant accepted.',
      won: 'The merchant won.',
      lost: 'The issuer won.',
      withdrawn: 'The cardholder withdrew.',
    },
  },
  pre_arbitration: {
    meaning: 'The issuer does not agree with the answer. The merchant may answer again.',
    start: null,
    next: {
      represented: 'The acquirer filed the answer.',
      arbitration: 'The network decides.',
      accepted: 'The merchant accepted.',
      won: 'The merchant won.',
      lost: 'No answer came in time, or the issuer won.',
      withdrawn: 'The cardholder withdrew.',
    },
  },
  arbitration: {
    meaning: 'The network decides. The loser pays its fees.',
    start: null,
    next: {
      represented: 'The acquirer filed the answer.',
      accepted: 'The merchant accepted.',
      won: 'The merchant won.',
      lost: 'The issuer won.',
      withdrawn: 'The cardholder withdrew.',
    },
  },
  won: {
    meaning: 'The money belongs to the merchant. The order can be refunded again.',
    start: null,
    next: {
      pre_arbitration: 'The issuer goes on.',
      arbitration: 'The issuer goes on.',
      lost: 'The money was taken again.',
    },
  },
  lost: {
    meaning: 'The money belongs to the cardholder: a loss.',
    start: 'A notice came of a case that a rule of the merchant accepts at once (RDR).',
    next: { won: 'The acquirer corrected the outcome.' },
  },
  withdrawn: {
    meaning: 'The case was closed without a decision. Money that was taken comes back.',
    start: null,
    next: { chargeback: 'The issuer opened it again.' },
  },
  accepted: {
    meaning: 'The merchant accepted the case. Money that was taken is a loss.',
    start: null,
    next: {},
  },
})

export type DisputeState = keyof typeof DISPUTE_STATES

const ENDED: ReadonlySet<DisputeState> = new Set(['won', 'lost', 'withdrawn', 'accepted'])
const TAKES_ANSWERS: ReadonlySet<DisputeState> = new Set([
  'inquiry',
  'chargeback',
  'pre_arbitration',
  'arbitration',
])

/** Whether the acquirer has said how the case ends. */
export function isEnded(state: DisputeState): boolean {
  return ENDED.has(state)
}

/** Whether the merchant may answer a case in this state. */
export function takesAnswers(state: DisputeState): boolean {
  return TAKES_ANSWERS.has(state)
}

/**
 * The money of the order that a case keeps from being refunded, in minor units of the order.
 * @param isCharged whether the issuer took money or will
 * @param amountMinor the disputed amount; all that was captured for a case in another currency
 */
export function blockedMinor(state: DisputeState, isCharged: boolean, amountMinor: bigint): bigint {
  const isFree = state === 'won' || state === 'withdrawn' || state === 'reported'
  return isCharged && !isFree ? amountMinor : 0n
}
