import type {
  AdviceRequest,
  AuthorizationRequest,
} from '../../packages/gateway/src/usecases/banks/processor.ts'
import type { MessageIdentity } from '../../packages/gateway/src/usecases/payments/payment-store.ts'

/**
 * The bank's decision about a card. The request's amount states it, so that the script is in the
 * message.
 */
export type Verdict =
  | { readonly kind: 'approve'; readonly minor: bigint; readonly avs: string }
  | { readonly kind: 'decline'; readonly code: string }

/** An authorization in the bank's books, or an unreferenced credit. */
export interface BankOrder {
  readonly kind: 'auth' | 'unreferenced_credit'
  approved: bigint
  captured: bigint
  refunded: bigint
  reversed: boolean
}

interface Movement {
  readonly kind: 'capture' | 'refund'
  readonly order: BankOrder
  amount: bigint
}

type Known = BankOrder | Movement | { readonly kind: 'tombstone' } | { readonly kind: 'closed' }

export interface BankRules {
  /** Rule 4: a reversal that comes before its original is recorded. */
  readonly tombstones: boolean
  /** Rule 5: a repeat gets the first answer again, and is not applied again. */
  readonly memory: boolean
}

/** The message key, in one word. */
export function keyOf({ number, at }: MessageIdentity): string {
  return `${number}/${at.getTime()}`
}

/**
 * The other side: written from the contract in docs/internals/bank-link.md and sharing no code with
 * the gateway. A message is applied and recorded in one step; the bank does not crash here.
 */
export class Bank {
  /** By the key of the authorization or unreferenced credit. */
  readonly orders = new Map<string, BankOrder>()
  /** Keys of all authorizations and unreferenced credits that were requested, with any answer. */
  readonly asked = new Set<string>()
  /** Advices by the order's key, in the sequence in which each came for the first time. */
  readonly arrivals = new Map<string, string[]>()
  /** The faults of the bank's own books; checked after every message. */
  readonly faults: string[] = []
  readonly #rules: BankRules
  readonly #known = new Map<string, Known>()
  readonly #answers = new Map<string, Verdict | string>()

  constructor(rules: BankRules) {
    this.#rules = rules
  }

  authorize(request: AuthorizationRequest, verdict: Verdict): Verdict {
    const key = keyOf(request.message)
    this.asked.add(key)
    const before = this.#answers.get(key)
    if (before !== undefined && this.#rules.memory) return before as Verdict
    const answer = this.#decide(key, request, verdict)
    this.#answers.set(key, answer)
    return answer
  }

  #decide(key: string, request: AuthorizationRequest, verdict: Verdict): Verdict {
    const known = this.#known.get(key)
    if (known?.kind === 'tombstone') return { kind: 'decline', code: '21' }
    if (verdict.kind === 'decline') {
      this.#known.set(key, { kind: 'closed' })
      return verdict
    }
    const order: BankOrder =
      known?.kind === 'auth' || known?.kind === 'unreferenced_credit'
        ? known
        : {
            kind: request.kind === 'refund' ? 'unreferenced_credit' : 'auth',
            approved: 0n,
            captured: 0n,
            refunded: 0n,
            reversed: false,
          }
    if (order.kind === 'unreferenced_credit') order.refunded += verdict.minor
    else order.approved += verdict.minor
    this.#known.set(key, order)
    this.orders.set(key, order)
    return verdict
  }

  /** DE 39 of the answer to a 0220 or 0420. */
  advise(advice: AdviceRequest): string {
    const key = keyOf(advice.message)
    const before = this.#answers.get(key)
    if (before !== undefined && this.#rules.memory) return before as string
    if (before === undefined) {
      const orderKey = keyOf(advice.order)
      const seen = this.arrivals.get(orderKey)
      if (seen === undefined) this.arrivals.set(orderKey, [key])
      else seen.push(key)
    }
    const code = advice.kind === 'reversal' ? this.#reverse(advice) : this.#move(key, advice)
    this.#answers.set(key, code)
    this.#audit(keyOf(advice.order))
    return code
  }

  #move(key: string, advice: AdviceRequest): string {
    const order = this.#known.get(keyOf(advice.original))
    if (order?.kind !== 'auth') return '76'
    const { amountMinor: amount } = advice
    if (advice.kind === 'capture') {
      if (order.reversed || amount > order.approved - order.captured) return '76'
      order.captured += amount
    } else {
      if (order.reversed && order.captured === 0n) return '76'
      order.refunded += amount
    }
    this.#known.set(key, { kind: advice.kind === 'capture' ? 'capture' : 'refund', order, amount })
    return '00'
  }

  #reverse(advice: AdviceRequest): string {
    const key = keyOf(advice.original)
    const left = advice.remainingMinor
    const known = this.#known.get(key)
    switch (known?.kind) {
      case undefined:
        if (left === null && this.#rules.tombstones) this.#known.set(key, { kind: 'tombstone' })
        return '25'
      case 'tombstone':
      case 'closed':
        return '21'
      case 'unreferenced_credit':
        if (known.reversed) return '21'
        known.refunded = 0n
        known.reversed = true
        return '00'
      case 'auth':
        if (known.reversed) return '21'
        if (left !== null && left < known.captured) return '76'
        if (left !== null && left >= known.approved) return '21'
        known.approved = left ?? known.captured
        known.reversed = left === null
        return '00'
      case 'capture':
      case 'refund': {
        const remains = left ?? 0n
        if (remains >= known.amount) return '21'
        if (known.kind === 'capture') known.order.captured -= known.amount - remains
        else known.order.refunded -= known.amount - remains
        known.amount = remains
        return '00'
      }
    }
  }

  #audit(orderKey: string): void {
    const order = this.orders.get(orderKey)
    if (order === undefined || order.kind === 'unreferenced_credit') return
    const { approved, captured, refunded } = order
    if (captured < 0n || captured > approved) {
      this.faults.push(`The bank has ${captured} captured of ${approved} approved for ${orderKey}.`)
    }
    if (refunded < 0n || refunded > captured) {
      this.faults.push(`The bank has ${refunded} refunded of ${captured} captured for ${orderKey}.`)
    }
  }
}
