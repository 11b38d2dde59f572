/** The states of a case in words, in the sequence in which cases go through them. */
export const DISPUTE_STATE_TEXTS = {
  inquiry: 'Inquiry',
  reported: 'Fraud report',
  chargeback: 'Chargeback',
  represented: 'Contested',
  pre_arbitration: 'Pre-arbitration',
  arbitration: 'Arbitration',
  won: 'Won',
  lost: 'Lost',
  withdrawn: 'Withdrawn',
  accepted: 'Accepted',
} as const

export type DisputeState = keyof typeof DISPUTE_STATE_TEXTS

/** The meaning of each state for the merchant. */
export const DISPUTE_STATE_MEANINGS: Readonly<Record<DisputeState, string>> = {
  inquiry: 'The issuer asks for information. No money moves.',
  reported: 'The issuer reported fraud. No money moves, and no answer is possible.',
  chargeback: 'The issuer takes the money. You can answer until the deadline.',
  represented: 'Your answer is filed, and the other side decides.',
  pre_arbitration: 'The issuer does not agree with your answer. You can answer again.',
  arbitration: 'The network decides. The loser pays its fees.',
  won: 'The money is yours.',
  lost: 'The money belongs to the cardholder.',
  withdrawn: 'The case was closed without a decision. Money that was taken comes back.',
  accepted: 'You accepted the case. Money that was taken is a loss.',
}

/** The notices of an acquirer in words. */
export const DISPUTE_EVENT_TEXTS = {
  inquiry: 'The issuer asked for information',
  fraud_report: 'The issuer reported fraud',
  chargeback: 'The issuer charged the payment back',
  representment: 'The acquirer filed the answer',
  pre_arbitration: 'The issuer began pre-arbitration',
  arbitration: 'The case went to arbitration',
  won: 'The case was won',
  lost: 'The case was lost',
  withdrawn: 'The case was withdrawn',
  accepted: 'The acquirer recorded that you accepted',
  rapid_resolution: 'A rule accepted the case at once (Rapid Dispute Resolution)',
} as const

export type DisputeEvent = keyof typeof DISPUTE_EVENT_TEXTS

/** The lines of settlement files that move money for a case, in words. */
export const DISPUTE_MOVEMENT_TEXTS = {
  chargeback: 'Chargeback',
  chargeback_again: 'Second chargeback',
  dispute_reversal: 'Money returned',
  dispute_fee: 'Dispute fee',
} as const

export type DisputeMovementKind = keyof typeof DISPUTE_MOVEMENT_TEXTS

/** Groups of states that the list offers first. */
export const DISPUTE_GROUP_TEXTS = {
  due: 'To answer',
  open: 'Open',
  ended: 'Ended',
  reported: 'Fraud reports',
  charged: 'Charged back',
  counted: 'Counted by networks',
} as const

export type DisputeGroup = keyof typeof DISPUTE_GROUP_TEXTS
