/** What the gateway sends the bank until it is acknowledged. */
export type AdviceKind = 'capture' | 'refund' | 'reversal'

/**
 * What a response code (DE 39) to an advice means. `agreed`: the bank's books are as the advice
 * says. `disagreed`: sending it again is of no use, and somebody has to look.
 */
type Answer = 'agreed' | 'disagreed'

/** A capture or refund of something reversed (21) or unknown (25) has not moved the money. */
const MONEY_MOVED: Readonly<Record<string, Answer>> = {
  '00': 'agreed',
  '21': 'disagreed',
  '25': 'disagreed',
  '76': 'disagreed',
}

/**
 * The response codes that end an advice: done (00), done before (21), nothing there (25), refused
 * for good (76). An advice with any other code is sent again. A reversal that is given up leaves the
 * customer's money held: only codes that mean that none is held end it.
 */
export const ENDING_ANSWERS: Readonly<Record<AdviceKind, Readonly<Record<string, Answer>>>> = {
  reversal: { '00': 'agreed', '21': 'agreed', '25': 'agreed' },
  capture: MONEY_MOVED,
  refund: MONEY_MOVED,
}

/** What the code means for such an advice; null for one that has to be sent again. */
export function endingAnswer(kind: AdviceKind, responseCode: string): Answer | null {
  const answers = ENDING_ANSWERS[kind]
  return Object.hasOwn(answers, responseCode) ? (answers[responseCode] ?? null) : null
}

/** The codes with which the bank agrees to such an advice. */
export function agreeingCodes(kind: AdviceKind): string[] {
  return Object.keys(ENDING_ANSWERS[kind]).filter((code) => endingAnswer(kind, code) === 'agreed')
}
