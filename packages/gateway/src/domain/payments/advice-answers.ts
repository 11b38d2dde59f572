/** Messages that the gateway retries until the bank acknowledges them. */
export type AdviceKind = 'capture' | 'refund' | 'reversal'

/**
 * The meaning of a response code (DE 39) to an advice. `agreed`: the bank's books match the advice.
 * `disagreed`: a retry is useless, and an operator has to check.
 */
type AdviceAnswer = 'agreed' | 'disagreed'

/** A capture or refund of something reversed (21) or unknown (25) has not moved the money. */
const MONEY_MOVED: Readonly<Record<string, AdviceAnswer>> = {
  '00': 'agreed',
  '21': 'disagreed',
  '25': 'disagreed',
  '76': 'disagreed',
}

/**
 * The response codes that end an advice: done (00), done before (21), nothing there (25), refused
 * for good (76). An advice with any other code is sent again. A reversal that is given up leaves
 * the customer's money held: only codes that mean that none is held end it.
 */
export const ENDING_ANSWERS: Readonly<Record<AdviceKind, Readonly<Record<string, AdviceAnswer>>>> =
  {
    reversal: { '00': 'agreed', '21': 'agreed', '25': 'agreed' },
    capture: MONEY_MOVED,
    refund: MONEY_MOVED,
  }

/** The meaning of the code for such an advice; null for one that has to be sent again. */
export function endingAnswer(kind: AdviceKind, responseCode: string): AdviceAnswer | null {
  const answers = ENDING_ANSWERS[kind]
  return Object.hasOwn(answers, responseCode) ? (answers[responseCode] ?? null) : null
}

/** The codes with which the bank agrees to such an advice. */
export function agreeingCodes(kind: AdviceKind): string[] {
  return Object.keys(ENDING_ANSWERS[kind]).filter((code) => endingAnswer(kind, code) === 'agreed')
}
