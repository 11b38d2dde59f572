import { maskText } from '../../base/card-masking.ts'
import { refused, type Refusal } from '../../base/refusal.ts'
import { EVENT_TYPE_NAMES } from '../events/event-types.ts'
import { isOfType } from './endpoint-draft.ts'

/**
 * An event is held back, sent twice, sent behind the next one of its object, or never sent. The
 * last two sign it with another secret, or for an old time.
 */
export const FAULT_KINDS = ['delay', 'double', 'reorder', 'lose', 'forge', 'stale'] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

/** A fault that events of an endpoint meet. */
export interface DeliveryFault {
  readonly kind: FaultKind
  /** A type, or a prefix that ends with a full stop; '' for all. */
  readonly type: string
  /** Of a hundred such events. */
  readonly share: number
  /** How long `delay` and `reorder` hold an event back, by the site's clock. */
  readonly seconds: number
  /** Null for all events. */
  readonly left: number | null
}

/** The facts that decide about an event at its next attempt. */
export interface FaultedEvent {
  readonly type: string
  /** It met a fault before. */
  readonly isFaulted: boolean
  /** It goes out ahead of an earlier event of its object. */
  readonly isAhead: boolean
}

export const MOST_FAULTS = 10
const LONGEST_SECONDS = 86_400
const MOST_EVENTS = 1_000
const WHOLE = 100

/**
 * The fault that an event meets, the first one that applies; null for none. Each event meets one,
 * so that its retry is a good one.
 * @param random from 0 to 1, below it, for each share
 */
export function chooseFault<Fault extends DeliveryFault>(
  faults: readonly Fault[],
  { isAhead, isFaulted, type }: FaultedEvent,
  random: () => number,
): Fault | null {
  if (isFaulted) return null
  const isMet = ({ kind, left, share, type: wanted }: Fault): boolean => {
    if (left === 0 || (wanted !== '' && !isOfType(type, wanted))) return false
    // Two events that both step back would come in their sequence again.
    if (kind === 'reorder' && isAhead) return false
    return random() * WHOLE < share
  }
  return faults.find(isMet) ?? null
}

/** Why an endpoint cannot have these faults; null for nothing. */
export function faultsRefusal(faults: readonly DeliveryFault[]): Refusal | null {
  const isOff = (value: number, to: number): boolean =>
    !Number.isInteger(value) || value < 1 || value > to
  const invalid = (sentence: string): Refusal => refused('invalid', sentence, { field: 'faults' })
  if (faults.length > MOST_FAULTS) return invalid(`An endpoint has at most ${MOST_FAULTS} faults.`)
  for (const { left, seconds, share, type } of faults) {
    if (type !== '' && !EVENT_TYPE_NAMES.some((known) => isOfType(known, type)))
      return invalid(`${maskText(type)} is no type of event, and no beginning of one.`)
    if (isOff(share, WHOLE)) return invalid(`The share must be from 1 to ${WHOLE}.`)
    if (isOff(seconds, LONGEST_SECONDS))
      return invalid(`The seconds must be from 1 to ${LONGEST_SECONDS}.`)
    if (left !== null && isOff(left, MOST_EVENTS))
      return invalid(`The count must be from 1 to ${MOST_EVENTS}.`)
  }
  return null
}

/** The sentence of the log about an event that a fault held back or lost. */
export function faultSentence({ kind, seconds }: DeliveryFault): string {
  if (kind === 'delay') return `A fault of the sandbox holds the event back for ${seconds} s.`
  if (kind === 'lose') return 'A fault of the sandbox lost the event: nothing was sent.'
  return `A fault of the sandbox lets the next event go first, for at most ${seconds} s.`
}
