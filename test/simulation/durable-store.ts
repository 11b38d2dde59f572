import type { CardNumber } from '../../packages/gateway/src/domain/payments/card-number.ts'
import type {
  IdempotencyKey,
  KeyHolder,
} from '../../packages/gateway/src/domain/payments/idempotency-key.ts'
import type {
  NewClaim,
  ReferenceClaim,
} from '../../packages/gateway/src/domain/payments/reference-claim.ts'
import type {
  MerchantAccount,
  SiteInMode,
} from '../../packages/gateway/src/usecases/merchants/merchant-directory.ts'
import type {
  AdjustmentPlan,
  LockedOrder,
} from '../../packages/gateway/src/usecases/payments/adjustment-store.ts'
import type { DueAdvice } from '../../packages/gateway/src/usecases/payments/advice-store.ts'
import type {
  NewAdvice,
  PaymentConclusion,
  PaymentIntent,
} from '../../packages/gateway/src/usecases/payments/payment-store.ts'
import type { OpenTransaction } from '../../packages/gateway/src/usecases/payments/resolve-transactions.ts'
import { BRAND, DurableBatches } from './durable-batches.ts'
import {
  assertConstraints,
  ConstraintError,
  newOrder,
  type AdviceRow,
  type ClaimRow,
  type OrderRow,
  type TransactionRow,
} from './durable-rows.ts'
import { lockedOrder } from './locked-order.ts'

/**
 * A model of the durable data. Each method is one step that has happened or has not, with the
 * meaning of the SQL of the same name. Other tests check the SQL itself, its locks and its
 * constraints, against a real PostgreSQL.
 */
export class DurableStore {
  readonly orders = new Map<bigint, OrderRow>()
  readonly transactions = new Map<bigint, TransactionRow>()
  readonly advices = new Map<bigint, AdviceRow>()
  readonly claims = new Map<string, ClaimRow>()
  /** By the digest of the key, for the one site. */
  readonly keys = new Map<string, KeyHolder>()
  readonly running = new Set<TransactionRow>()
  readonly queued = new Set<AdviceRow>()
  readonly batches: DurableBatches
  readonly #account: MerchantAccount
  readonly #pan: CardNumber

  constructor(account: MerchantAccount, pan: CardNumber) {
    this.#account = account
    this.#pan = pan
    this.batches = new DurableBatches(this, account)
  }

  intend(intent: PaymentIntent): boolean {
    const { reference, siteId } = intent
    // Writes the same intent once more, after a lost answer.
    if (this.transactions.get(intent.transactionId)?.requestId === intent.requestId) return true
    if (intent.key !== null && this.keys.has(intent.key.key)) return false
    const declined = intent.declinedServiceCode !== null
    if (intent.claim !== null) {
      const key = claimKey(siteId, reference)
      if (!this.#isFree(key, intent.claim)) return false
      this.claims.set(key, {
        ...intent.claim,
        transactionId: intent.transactionId,
        state: declined ? 'declined' : 'running',
        endedAt: intent.at,
      })
    }
    if (this.orders.has(intent.orderId) || this.transactions.has(intent.transactionId)) {
      throw new ConstraintError('An id was given out twice.')
    }
    this.takeKey(intent.key, intent.transactionId)
    const order = newOrder(intent, declined ? 'declined' : 'running')
    this.orders.set(order.id, order)
    const row: TransactionRow = {
      id: intent.transactionId,
      requestId: intent.requestId,
      order,
      kind: intent.kind,
      lineId: null,
      createdAt: intent.at,
      endedAt: declined ? intent.at : null,
      amountMinor: intent.amountMinor,
      state: declined ? 'declined' : 'running',
      valueMinor: intent.amountMinor,
      voidedMinor: 0n,
      batchId: null,
    }
    this.#addTransaction(row)
    if (!declined) this.running.add(row)
    return true
  }

  conclude(conclusion: PaymentConclusion): { batchId: bigint | null } | null {
    const row = this.transactions.get(conclusion.transactionId)
    if (row?.state !== 'running') return null
    const { order } = row
    const { kind, valueMinor } = conclusion
    const approved = conclusion.state === 'approved'
    row.state = conclusion.state
    row.endedAt = conclusion.at
    row.valueMinor = valueMinor
    this.running.delete(row)
    order.state = approved ? 'authorized' : conclusion.state
    order.authorizedMinor = approved && kind !== 'refund' ? valueMinor : 0n
    order.capturedMinor = approved && kind === 'sale' ? valueMinor : 0n
    order.refundedMinor = approved && kind === 'refund' ? valueMinor : 0n
    order.expiresAt = conclusion.expiresAt
    for (const { id, amountMinor } of conclusion.lineAmounts ?? []) {
      const line = order.lines.find((candidate) => candidate.id === id)
      if (line === undefined)
        throw new ConstraintError('A conclusion names a line that is not there.')
      line.amountMinor = amountMinor
      if (approved && kind === 'sale') line.capturedMinor = amountMinor
    }
    if (approved && kind !== 'authorization') row.batchId = this.batches.openId
    if (conclusion.advice !== null) {
      order.adviceCount += 1
      this.#queue(order, row.id, conclusion.advice, 1, conclusion.at)
    }
    this.#endClaim(conclusion)
    assertConstraints(order)
    return { batchId: approved ? this.batches.openId : null }
  }

  #endClaim({ at, claim, siteId, state, transactionId }: PaymentConclusion): void {
    if (claim === null) return
    const key = claimKey(siteId, claim.reference)
    const row = this.claims.get(key)
    if (claim.after === null) {
      if (state === 'approved' && (row === undefined || row.state === 'declined')) {
        const { content } = claim
        this.claims.set(key, {
          transactionId,
          content,
          details: '',
          state: 'approved',
          endedAt: at,
          after: [],
        })
      }
      return
    }
    if (row?.transactionId !== transactionId) return
    if (claim.after === 'free') this.claims.delete(key)
    else {
      row.state = claim.after
      row.endedAt = at
    }
  }

  /** Whether no payment holds the reference, or the declined one that a new payment names. */
  #isFree(key: string, { after }: NewClaim): boolean {
    const row = this.claims.get(key)
    if (row === undefined) return true
    return row.state === 'declined' && row.transactionId === after[0]?.transactionId
  }

  findClaim(siteId: bigint, reference: string): ReferenceClaim | null {
    const row = this.claims.get(claimKey(siteId, reference))
    if (row === undefined) return null
    const { state, transactionId, content, after } = row
    return {
      state,
      transactionId,
      content,
      declines: state === 'declined' ? [row, ...after] : after,
    }
  }

  findOpen(before: Date, limit: number): OpenTransaction[] {
    return [...this.running]
      .filter((row) => row.createdAt < before)
      .slice(0, limit)
      .map(({ id, kind, amountMinor, order }) => {
        const claim = this.claims.get(claimKey(order.siteId, order.reference))
        return {
          transactionId: id,
          orderId: order.id,
          merchantId: order.merchantId,
          merchantAccountId: order.merchantAccountId,
          siteId: order.siteId,
          mode: 'test',
          kind,
          amountMinor,
          message: order.message,
          claimedReference:
            claim?.transactionId === id && claim.state === 'running' ? order.reference : null,
        }
      })
  }

  findExpired(now: Date, limit: number): { site: SiteInMode; orderId: bigint }[] {
    return [...this.orders.values()]
      .filter(
        ({ state, releasedAt, expiresAt }) =>
          state === 'authorized' && releasedAt === null && expiresAt !== null && expiresAt <= now,
      )
      .slice(0, limit)
      .map(({ id, siteId }) => ({ site: { id: siteId, mode: 'test' }, orderId: id }))
  }

  /** The parts of a locked order that an adjustment reads. */
  readLocked(siteId: bigint, orderId: bigint, now: Date): LockedOrder | null {
    const order = this.orders.get(orderId)
    if (order === undefined || order.siteId !== siteId) return null
    return lockedOrder(order, now, (batchId) => this.batches.isClosed(batchId))
  }

  /** False: another transaction has the key. */
  takeKey(key: IdempotencyKey | null, transactionId: bigint): boolean {
    if (key === null) return true
    if (this.keys.has(key.key)) return false
    this.keys.set(key.key, { content: key.content, transactionId })
    return true
  }

  /** Writes the decision that was made under the lock. */
  applyPlan(orderId: bigint, plan: AdjustmentPlan): void {
    const order = this.orders.get(orderId)
    if (order === undefined) throw new ConstraintError('A plan names an order that is not there.')
    order.capturedMinor += plan.capturedDelta
    order.voidedMinor += plan.voidedDelta
    order.refundedMinor += plan.refundedDelta
    order.reversedWhole ||= plan.reversedWhole
    if (plan.releases) order.releasedAt = plan.at
    for (const { lineId, capturedDelta, voidedDelta, refundedDelta } of plan.lines) {
      const line = order.lines.find((candidate) => candidate.id === lineId)
      if (line === undefined) throw new ConstraintError('A plan names a line that is not there.')
      line.capturedMinor += capturedDelta
      line.voidedMinor += voidedDelta
      line.refundedMinor += refundedDelta
    }
    const { transaction } = plan
    if (transaction !== null) {
      this.#addTransaction({
        id: transaction.id,
        requestId: transaction.requestId,
        order,
        kind: transaction.kind,
        lineId: transaction.orderLineId,
        createdAt: plan.at,
        endedAt: plan.at,
        amountMinor: transaction.valueMinor,
        state: 'approved',
        valueMinor: transaction.valueMinor,
        voidedMinor: 0n,
        batchId:
          transaction.kind === 'capture' || transaction.kind === 'refund'
            ? this.batches.openId
            : null,
      })
    }
    for (const { transactionId, minor } of plan.captureVoids) {
      const capture = this.transactions.get(transactionId)
      if (capture !== undefined) capture.voidedMinor += minor
    }
    const of = transaction?.id ?? order.transactions[0]?.id ?? 0n
    for (const advice of plan.advices) {
      order.adviceCount += 1
      this.#queue(order, of, advice, order.adviceCount, plan.at)
    }
    assertConstraints(order)
  }

  /** `anyFirst` skips the sequence within an order; only a broken rule asks for it. */
  take(limit: number, now: Date, until: Date, anyFirst = false): DueAdvice[] {
    const due = this.dueAdvices(now, anyFirst)
      .sort((left, right) => left.nextTryAt.getTime() - right.nextTryAt.getTime())
      .slice(0, limit)
    return due.map((row) => {
      row.nextTryAt = until
      row.tries += 1
      return this.#dueAdvice(row)
    })
  }

  /** The oldest waiting advice of each order, if it is due. */
  dueAdvices(now: Date, anyFirst = false): AdviceRow[] {
    const due: AdviceRow[] = []
    for (const row of this.queued) {
      if (row.nextTryAt > now) continue
      const { advices } = row.order
      const waits = advices.some(
        ({ state, sequence }) => state === 'queued' && sequence < row.sequence,
      )
      if (waits && !anyFirst) continue
      due.push(row)
    }
    return due
  }

  /** An answer to a message that named another batch is none: the advice is due again. */
  acknowledge(id: bigint, responseCode: string, at: Date, batchId: bigint | null): void {
    const row = this.advices.get(id)
    if (row?.state !== 'queued') return
    if (batchId !== null && batchId !== row.batchId) {
      row.nextTryAt = at
      return
    }
    row.state = 'acknowledged'
    row.responseCode = responseCode
    this.queued.delete(row)
  }

  postpone(id: bigint, nextTryAt: Date): void {
    const row = this.advices.get(id)
    if (row?.state === 'queued') row.nextTryAt = nextTryAt
  }

  #dueAdvice(row: AdviceRow): DueAdvice {
    const { id, kind, message, original, amountMinor, remainingMinor, reason, sequence, order } =
      row
    return {
      id,
      tries: row.tries,
      request: {
        kind,
        message,
        repeat: row.tries > 1,
        original,
        order: order.message,
        account: this.#account,
        amountMinor,
        currency: order.currency,
        remainingMinor,
        reason,
        sequence,
        authCode: '',
        entryMode: '812',
        batch: row.batchId === null ? null : { id: row.batchId, brand: BRAND },
        pan: kind === 'refund' ? this.#pan : null,
        bankTest: null,
      },
    }
  }

  #addTransaction(row: TransactionRow): void {
    this.transactions.set(row.id, row)
    row.order.transactions.push(row)
  }

  #queue(
    order: OrderRow,
    transactionId: bigint,
    advice: NewAdvice,
    sequence: number,
    at: Date,
  ): void {
    if (order.advices.some((other) => other.sequence === sequence)) {
      throw new ConstraintError(`Order ${order.id} would break advices_in_sequence.`)
    }
    const row: AdviceRow = {
      ...advice,
      order,
      transactionId,
      sequence,
      state: 'queued',
      tries: 0,
      nextTryAt: at,
      responseCode: '',
      batchId: advice.kind === 'reversal' ? null : this.batches.openId,
      leftBatchId: null,
    }
    this.advices.set(row.id, row)
    order.advices.push(row)
    this.queued.add(row)
  }
}

function claimKey(siteId: bigint, reference: string): string {
  return `${siteId}/${reference}`
}
