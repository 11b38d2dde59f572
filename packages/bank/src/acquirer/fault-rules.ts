import type { Fault } from './fault.ts'

/** The messages that a rule matches. An absent condition matches everything. */
export interface FaultMatch {
  /** Four digits; repeats of the message match too. */
  readonly mti?: string
  /** DE 42. */
  readonly merchant?: string
  /** Minor units of DE 4, both ends included. */
  readonly amountFrom?: bigint
  readonly amountTo?: bigint
  /** The end of the card number. */
  readonly last4?: string
  /** The party that starts a 0100: either side, or one value of tag CI. */
  readonly initiation?: string
}

export interface NewFaultRule {
  readonly match: FaultMatch
  readonly action: Fault
  /** How many matching messages pass before the first is affected. */
  readonly skip: number
  /** How many times in all; null for no end. */
  readonly count: number | null
  /** 0 to 1: of the messages that match. */
  readonly probability: number
  /** The same seed and the same messages give the same faults. */
  readonly seed: number
}

export interface FaultRule extends NewFaultRule {
  readonly id: number
  /** Messages that matched, and those of them that got the fault. */
  seen: number
  done: number
}

/** The parts of a message that a rule can match. */
export interface FaultSubject {
  readonly mti: string
  readonly merchant: string
  /** Minor units; null without DE 4. */
  readonly amount: bigint | null
  /** Null where the card is not known. */
  readonly last4: string | null
  /** Tag CI; null without it, and in any message that is no 0100. */
  readonly initiation: string | null
}

/** The scripted faults. They are in memory only, so a restarted bank has none. */
export class FaultRules {
  readonly #rules = new Map<number, { readonly rule: FaultRule; readonly draw: () => number }>()
  #lastId = 0

  get size(): number {
    return this.#rules.size
  }

  all(): FaultRule[] {
    return [...this.#rules.values()].map(({ rule }) => rule)
  }

  add(given: NewFaultRule): FaultRule {
    this.#lastId += 1
    const rule = { ...given, id: this.#lastId, seen: 0, done: 0 }
    this.#rules.set(rule.id, { rule, draw: seededDraws(given.seed) })
    return rule
  }

  /** Drops one rule; false where there is none of that number. */
  remove(id: number): boolean {
    return this.#rules.delete(id)
  }

  /** Drops every rule; gives how many there were. */
  clear(): number {
    const { size } = this.#rules
    this.#rules.clear()
    return size
  }

  /** The fault of the first rule that applies to the message; null if none does. */
  strike(subject: FaultSubject): Fault | null {
    for (const { draw, rule } of this.#rules.values()) {
      if (rule.count !== null && rule.done >= rule.count) continue
      if (!matches(rule.match, subject)) continue
      rule.seen += 1
      if (rule.seen <= rule.skip) continue
      if (draw() >= rule.probability) continue
      rule.done += 1
      return rule.action
    }
    return null
  }
}

function matches(match: FaultMatch, subject: FaultSubject): boolean {
  const { amount, last4, merchant, mti } = subject
  const { amountFrom, amountTo } = match
  if (match.mti !== undefined && match.mti.slice(0, 3) !== mti.slice(0, 3)) return false
  if (match.merchant !== undefined && match.merchant !== merchant) return false
  if (match.last4 !== undefined && match.last4 !== last4) return false
  if (match.initiation !== undefined && !isStartedBy(match.initiation, subject)) return false
  if (amountFrom !== undefined && (amount === null || amount < amountFrom)) return false
  return amountTo === undefined || (amount !== null && amount <= amountTo)
}

/** A 0100 without tag CI is the customer's. */
function isStartedBy(wanted: string, { initiation, mti }: FaultSubject): boolean {
  if (!mti.startsWith('010')) return false
  const isMerchant = initiation?.startsWith('M') === true
  if (wanted === 'merchant') return isMerchant
  return wanted === 'customer' ? !isMerchant : wanted === initiation
}

/** Numbers from 0 to below 1, the same ones for the same seed (the mulberry32 sequence). */
function seededDraws(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
