import type { DisputeCase, DisputeEvent, Verdict } from '../books/dispute-note.ts'
import { isOpen } from '../books/disputes.ts'
import type { WaitingLine } from '../books/settlement-note.ts'
import { addDays } from '../settlement/bank-days.ts'
import { answerDays } from '../test-data/dispute-deadlines.ts'
import type { AnsweredStage } from '../test-data/dispute-deadlines.ts'
import { withMoney } from './dispute-lines.ts'

/** One step of a case: what the notice states, the case behind it, and the money with it. */
export interface Step {
  readonly event: DisputeEvent
  readonly after: DisputeCase
  readonly lines: readonly WaitingLine[]
  /** The id of the merchant's answer. */
  readonly answer?: string
}

/** The ends of a case that a decision or an answer brings about. */
export type CaseEnd = 'won' | 'lost' | 'withdrawn' | 'accepted'

/** The first step of a case; the given case is at no stage yet. */
export function openCase(
  fresh: DisputeCase,
  event: 'inquiry' | 'fraud_report' | 'chargeback' | 'rapid_resolution',
  day: string,
): Step {
  if (event === 'fraud_report') {
    return { event, after: { ...fresh, stage: 'fraud_report', due: '' }, lines: [] }
  }
  if (event !== 'rapid_resolution') return toStage(fresh, event, day)
  const { disputed, lines } = withMoney(fresh, 'taken', day, true)
  return { event, after: { ...disputed, stage: 'lost', due: '' }, lines }
}

/** The case at the beginning of a stage. A chargeback takes the amount. */
export function toStage(disputed: DisputeCase, stage: AnsweredStage, day: string): Step {
  const due = addDays(day, answerDays(disputed.brand, stage, day))
  const chargebackOn = stage === 'inquiry' ? disputed.chargebackOn : ''
  const after = { ...disputed, stage, due, answered: null, chargebackOn }
  if (stage !== 'chargeback') return { event: stage, after, lines: [] }
  const taken = withMoney(after, 'taken', day, true)
  return { event: stage, after: taken.disputed, lines: taken.lines }
}

/** The end of a case: the amount is where the end has it, and is moved there if need be. */
export function toEnd(disputed: DisputeCase, end: CaseEnd, day: string, answer?: string): Step {
  const place = end === 'lost' || end === 'accepted' ? 'taken' : 'returned'
  const moved = withMoney(disputed, place, day, false)
  const after = {
    ...moved.disputed,
    stage: end,
    due: '',
    answered: null,
    chargebackOn: '',
  } as const
  return { event: end, after, lines: moved.lines, ...(answer === undefined ? {} : { answer }) }
}

/** The merchant's answer that contests the stage. Some chargebacks are credited with it. */
export function contest(
  disputed: DisputeCase,
  verdict: Verdict,
  day: string,
  answer: string,
): Step {
  const answered = { ...disputed, due: '', answered: { verdict, on: day } }
  const isCredited = disputed.stage === 'chargeback' && creditsAnswers(disputed)
  const { disputed: after, lines } = isCredited
    ? withMoney(answered, 'returned', day, false)
    : { disputed: answered, lines: [] }
  return { event: 'representment', after, lines, answer }
}

/**
 * Whether a chargeback is credited until the decision: with Mastercard, and with Visa's
 * collaboration (12.x, 13.x). Visa's allocation (10.x, 11.x) and other brands credit what is won.
 */
function creditsAnswers({ brand, reason }: DisputeCase): boolean {
  return brand === 'mastercard' || (brand === 'visa' && /^1[23]\./.test(reason))
}

/** The verdict that a text of evidence brings about, by the words that the documents publish. */
export function verdictOf(text: string): Verdict {
  if (text.includes('winning_evidence')) return 'won'
  if (text.includes('losing_evidence')) return 'lost'
  return text.includes('escalate_evidence') ? 'escalate' : 'lost'
}

/** The stage behind each one when a case escalates. */
const NEXT_STAGE: Readonly<Partial<Record<DisputeCase['stage'], AnsweredStage>>> = {
  inquiry: 'chargeback',
  chargeback: 'pre_arbitration',
  pre_arbitration: 'arbitration',
}

/**
 * The step that is due on a day without anybody's doing; null for none. `limit` is what the bank
 * may still dispute of the order, in minor units of its currency; null for no limit.
 */
export function dueStep(disputed: DisputeCase, day: string, limit: bigint | null): Step | null {
  if (!isOpen(disputed)) return null
  const { answered, chargebackOn, due, stage } = disputed
  if (answered !== null)
    return day > answered.on ? decide(disputed, answered.verdict, day, limit) : null
  if (stage === 'inquiry' && chargebackOn !== '' && day >= chargebackOn) {
    return chargebackWithin(disputed, day, limit)
  }
  if (day <= due) return null
  return toEnd(disputed, stage === 'inquiry' ? 'withdrawn' : 'lost', day)
}

/**
 * The decision about a contested stage. `limit` is what the bank may still dispute of the order, in
 * minor units of its currency; null for no limit.
 */
export function decide(
  disputed: DisputeCase,
  verdict: Verdict,
  day: string,
  limit: bigint | null,
): Step {
  if (disputed.stage === 'inquiry') {
    return verdict === 'won'
      ? toEnd(disputed, 'withdrawn', day)
      : chargebackWithin(disputed, day, limit)
  }
  const next = verdict === 'escalate' ? NEXT_STAGE[disputed.stage] : undefined
  if (next !== undefined) return toStage(disputed, next, day)
  return toEnd(disputed, verdict === 'won' ? 'won' : 'lost', day)
}

/** An inquiry as chargeback of what is left of the order; withdrawn where nothing is left. */
function chargebackWithin(disputed: DisputeCase, day: string, limit: bigint | null): Step {
  if (limit === null || BigInt(disputed.minor) <= limit) return toStage(disputed, 'chargeback', day)
  if (limit <= 0n) return toEnd(disputed, 'withdrawn', day)
  return toStage({ ...disputed, minor: String(limit) }, 'chargeback', day)
}
