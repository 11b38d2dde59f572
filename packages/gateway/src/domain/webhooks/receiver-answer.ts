import { refused, type Refusal } from '../../base/refusal.ts'

/** How a receiver ends a request: with a status, byte by byte, never, or by closing. */
export const MANNERS = ['answer', 'trickle', 'hang', 'close'] as const

export type Manner = (typeof MANNERS)[number]

/** One answer of a receiver of the sandbox. */
export interface ReceiverAnswer {
  readonly manner: Manner
  readonly status: number
  /** In seconds; null for no such header. */
  readonly retryAfterS: number | null
  readonly delayMs: number
}

/** The answer to the next requests. */
export interface AnswerPlan extends ReceiverAnswer {
  /** So many requests are answered so, and later ones with 204; null: all of them. */
  readonly left: number | null
}

/** Without a body. */
const ACCEPTED = 204

export const GOOD_ANSWER: AnswerPlan = {
  manner: 'answer',
  status: ACCEPTED,
  retryAfterS: null,
  delayMs: 0,
  left: null,
}

const LONGEST_DELAY_MS = 30_000
const LONGEST_RETRY_AFTER_S = 86_400
const MOST_ANSWERS = 1_000

/** The plan once a request was answered by it. */
export function planAfter(plan: AnswerPlan): AnswerPlan {
  if (plan.left === null) return plan
  return plan.left > 1 ? { ...plan, left: plan.left - 1 } : GOOD_ANSWER
}

/** Why a receiver cannot answer so; null for nothing. */
export function planRefusal({ delayMs, left, retryAfterS, status }: AnswerPlan): Refusal | null {
  const isWithin = (value: number | null, from: number, to: number): boolean =>
    value === null || (Number.isInteger(value) && value >= from && value <= to)
  if (!isWithin(status, 200, 599))
    return refused('invalid', 'The status must be from 200 to 599.', { field: 'status' })
  if (!isWithin(retryAfterS, 0, LONGEST_RETRY_AFTER_S)) {
    const sentence = `retryAfter must be from 0 to ${LONGEST_RETRY_AFTER_S} seconds.`
    return refused('invalid', sentence, { field: 'retryAfter' })
  }
  if (!isWithin(delayMs, 0, LONGEST_DELAY_MS)) {
    const sentence = `The delay must be from 0 to ${LONGEST_DELAY_MS / 1_000} seconds.`
    return refused('invalid', sentence, { field: 'delay' })
  }
  if (isWithin(left, 1, MOST_ANSWERS)) return null
  return refused('invalid', `The count must be from 1 to ${MOST_ANSWERS}.`, { field: 'count' })
}

/** Live sites have no receiver. */
export function liveSiteRefusal(siteId: bigint, mode: 'test' | 'live'): Refusal | null {
  if (mode === 'test') return null
  return refused('conflict', `Site ${siteId} is in live mode. Only test sites can do this.`, {
    code: 'live_site',
  })
}

/** There is no such receiver, or none of this site. */
export function noSuchReceiver(): Refusal {
  return refused('missing', 'The site has no such receiver.')
}
