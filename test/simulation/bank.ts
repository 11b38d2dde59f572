import type {
  BrandFigures,
  DetailEntry,
} from '../../packages/gateway/src/domain/books/batch-agreement.ts'
import type {
  AdviceRequest,
  AuthorizationRequest,
} from '../../packages/gateway/src/usecases/banks/processor.ts'
import type { TotalsRequest } from '../../packages/gateway/src/usecases/books/batch-processor.ts'
import type { MessageIdentity } from '../../packages/gateway/src/usecases/payments/payment-store.ts'

/**
 * The bank's decision about a card. The request's amount states it, so that the script is in the
 * message.
 */
export type Verdict =
  | { readonly kind: 'approve'; readonly minor: bigint; readonly avs: string }
  | { readonly kind: 'decline'; readonly code: string }

/** The answer to a 0500. */
interface BatchAnswer {
  readonly inBalance: boolean
  readonly responseCode: string
  readonly brands: readonly BrandFigures[]
}

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
  voided: bigint
  /** Null for one that came when its batch was closed already. */
  batch: bigint | null
}

type Known = BankOrder | Movement | { readonly kind: 'tombstone' } | { readonly kind: 'closed' }

export interface BankRules {
  /** Rule 4: a reversal that comes before its original is recorded. */
  readonly tombstones: boolean
  /** Rule 5: a repeat gets the first answer again, and is not applied again. */
  readonly memory: boolean
  /** A late copy of a message that named an earlier batch moves nothing back there. */
  readonly laterBatchesOnly: boolean
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
  readonly #movements = new Map<string, Movement>()
  readonly #closed = new Set<bigint>()
  readonly #batchAnswers = new Map<string, BatchAnswer>()

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
    if (before !== undefined && this.#rules.memory) {
      this.#changeBatch(key, advice)
      return before as string
    }
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
    const named = advice.batch?.id ?? null
    const batch = named === null || this.#closed.has(named) ? null : named
    const kind = advice.kind === 'capture' ? 'capture' : 'refund'
    const movement: Movement = { kind, order, amount, voided: 0n, batch }
    this.#known.set(key, movement)
    this.#movements.set(key, movement)
    return '00'
  }

  /** A repeat that names another batch than before moves its capture or refund there. */
  #changeBatch(key: string, { batch }: AdviceRequest): void {
    const movement = this.#movements.get(key)
    if (batch === null || movement === undefined || movement.batch === null) return
    if (batch.id === movement.batch || this.#closed.has(movement.batch)) return
    if (this.#rules.laterBatchesOnly && batch.id < movement.batch) return
    movement.batch = this.#closed.has(batch.id) ? null : batch.id
  }

  /** The batch that counts a capture or refund, by the key of its message. */
  batchOf(key: string): bigint | null {
    return this.#movements.get(key)?.batch ?? null
  }

  /** The answer to a 0500: closes the batch, whether the totals are equal or not. */
  reconcile({ batchId, brands, message }: TotalsRequest): BatchAnswer {
    const key = keyOf(message)
    const before = this.#batchAnswers.get(key)
    if (before !== undefined) return before
    this.#closed.add(batchId)
    const own = totalsOf(this.listBatch(batchId))
    const isEqual = JSON.stringify(own, asText) === JSON.stringify(brands, asText)
    const answer = { inBalance: isEqual, responseCode: isEqual ? '00' : '95', brands: own }
    this.#batchAnswers.set(key, answer)
    return answer
  }

  /** The captures and refunds of a batch. */
  listBatch(batchId: bigint): DetailEntry[] {
    return [...this.#movements].flatMap(([key, { amount, batch, kind, voided }]) =>
      batch === batchId
        ? [
            {
              messageNumber: BigInt(key.split('/')[0] ?? ''),
              kind,
              amountMinor: amount + voided,
              voidedMinor: voided,
            },
          ]
        : [],
    )
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
        known.voided += known.amount - remains
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

/** The bank's totals, by the one brand of the simulation; none for an empty batch. */
function totalsOf(entries: readonly DetailEntry[]): BrandFigures[] {
  if (entries.length === 0) return []
  const figures = {
    sales: { count: 0, minor: 0n },
    refunds: { count: 0, minor: 0n },
    voidedSales: { count: 0, minor: 0n },
    voidedRefunds: { count: 0, minor: 0n },
  }
  for (const { amountMinor, kind, voidedMinor } of entries) {
    const [whole, voided] =
      kind === 'capture'
        ? [figures.sales, figures.voidedSales]
        : [figures.refunds, figures.voidedRefunds]
    whole.count += 1
    whole.minor += amountMinor
    if (voidedMinor > 0n) voided.count += 1
    voided.minor += voidedMinor
  }
  return [{ brand: 'VISA', ...figures }]
}

function asText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
