import { MANNERS, type AnswerPlan, type Manner } from '../../domain/webhooks/receiver-answer.ts'
import type { CaughtFilter } from '../../usecases/webhooks/receiver-store.ts'
import { numberOf } from './fault-request.ts'
import { SandboxRequestError, type Body } from './sandbox-request.ts'

/** The members that each action reads, beside those of the login. */
export const RECEIVER_MEMBERS = {
  show: [],
  add: ['types'],
  remove: ['receiver'],
  answer: ['receiver', 'manner', 'status', 'retryAfter', 'delay', 'count'],
  caught: ['receiver', 'limit', 'before'],
  faults: ['endpoint', 'faults'],
} as const

export type ReceiverAction = keyof typeof RECEIVER_MEMBERS

const S = 1_000
const MOST_TYPES = 100
const MOST_ROWS = 100
const DEFAULT_ROWS = 20

/** Empty for all types. */
export function readTypes({ types = [] }: Body): readonly string[] {
  if (Array.isArray(types) && types.length <= MOST_TYPES) {
    const texts = types.filter((type): type is string => typeof type === 'string')
    if (texts.length === types.length) return texts
  }
  throw new SandboxRequestError('types', 'types is no list of texts such as ["payment."].')
}

export function readReceiver({ receiver }: Body): string {
  if (typeof receiver === 'string' && receiver !== '') return receiver.slice(0, 80)
  throw new SandboxRequestError('receiver', 'receiver is missing. Expected the id of a receiver.')
}

/** The answer that a receiver is asked for; the domain judges its numbers. */
export function readPlan(body: Body): AnswerPlan {
  const { manner = 'answer' } = body
  const known = MANNERS.find((one) => one === manner)
  if (known === undefined) {
    const sentence = `manner is none of ${MANNERS.join(', ')}.`
    throw new SandboxRequestError('manner', sentence)
  }
  return {
    manner: known,
    status: numberOf(body, 'status') ?? defaultStatus(known),
    retryAfterS: numberOf(body, 'retryAfter'),
    delayMs: Math.round((numberOf(body, 'delay') ?? 0) * S),
    left: numberOf(body, 'count'),
  }
}

function defaultStatus(manner: Manner): number {
  return manner === 'trickle' ? 200 : 204
}

/** The page of caught requests that is asked for. */
export function readCaughtFilter(body: Body): CaughtFilter {
  const { before = null, limit = DEFAULT_ROWS, receiver = null } = body
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MOST_ROWS)
    throw new SandboxRequestError('limit', `limit is no whole number from 1 to ${MOST_ROWS}.`)
  if (before !== null && (typeof before !== 'string' || !/^[1-9][0-9]{0,17}$/.test(before)))
    throw new SandboxRequestError('before', 'before is not what stood in next.')
  return {
    receiverId: receiver === null ? null : readReceiver(body),
    before: before === null ? null : BigInt(before),
    limit,
  }
}
