/** The kinds of settlement differences, in words for portal users. */
export const DIFFERENCE_TEXTS = {
  missing_at_bank: 'Not in any settlement file',
  missing_here: 'Unknown order',
  amount: 'Another amount',
  currency: 'Another currency',
  state: 'Another state here',
  duplicate: 'Settled twice',
  ambiguous: 'Several orders fit',
  fx_rate: 'Unusual exchange rate',
  fee_orphan: 'Fee without an approved order',
  dispute_unknown: 'Dispute without case or line',
  payout_missing: 'Payout not received',
  payout_unknown: 'Deposit never announced',
  payout_short: 'Deposit too low',
  payout_over: 'Deposit too high',
} as const

export type SettlementDifferenceCode = keyof typeof DIFFERENCE_TEXTS

/** The ends that a portal user may choose. Only the operator writes money off. */
export const CHOSEN_ENDS = {
  matched_late: 'a later file has it',
  corrected_by_acquirer: 'the acquirer corrected it',
  corrected_here: 'corrected here, for example by a refund',
  accepted_timing: 'only the day differs',
  not_ours: 'belongs to another system',
} as const

export type ChosenEnd = keyof typeof CHOSEN_ENDS

/** All ends, in words. */
export const END_TEXTS = { ...CHOSEN_ENDS, written_off: 'written off' } as const

export type SettlementDifferenceEnd = keyof typeof END_TEXTS
