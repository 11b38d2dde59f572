import type { Clock } from '../../base/clock.ts'
import { invariant } from '../../base/invariant.ts'
import { parseAmount } from '../../domain/money.ts'
import {
  decideCapture,
  decideRefund,
  decideVoid,
  decideCaptureVoid,
  decideVoidOrRefund,
  type AdjustmentRefusal,
  type AdjustmentRequest,
  type AmountAllowed,
  type VoidAllowed,
} from '../../domain/payments/order.ts'
import type { AdjustmentCommand, AdjustmentResult, AdjustOrder } from './adjustment-command.ts'
import type { AdjustmentPlan, AdjustmentStore, LockedOrder } from './adjustment-store.ts'
import { untilKnown, type Patience } from './learn-truth.ts'
import { wholeSecond, type IdKind } from './payment-intent.ts'
import { planReversals } from './plan-reversals.ts'
import type { TransactionView } from './transaction-view.ts'

export interface AdjustOrderDeps extends Patience {
  readonly store: AdjustmentStore
  readonly clock: Clock
  readonly nextId: (kind: IdKind) => bigint | Promise<bigint>
  readonly adviceQueued: () => void
  readonly findTransaction: (transactionId: bigint) => Promise<TransactionView | null>
}

/** A merchant is answered within 30 s; the last try may take some of them. */
const PATIENCE_MS = 24_000

/**
 * Captures, refunds and voids. Each is decided under the order's lock, and durable with its advice
 * to the bank before the merchant gets the answer. The bank itself is not waited for.
 */
export function createAdjustOrder(deps: AdjustOrderDeps): AdjustOrder {
  return async (command) => {
    const untilMs = deps.monotonicMs() + PATIENCE_MS
    let refused: AdjustmentResult | null = null
    let planned: bigint | null = null
    const plan = async (order: LockedOrder | null): Promise<AdjustmentPlan | null> => {
      const decision = decide(order, command)
      refused = decision.kind === 'allowed' ? null : decision
      if (decision.kind !== 'allowed') return null
      invariant(order !== null, 'an adjustment of no order was allowed')
      if (command.permit !== undefined && !(await command.permit(order, returnsOf(decision)))) {
        refused = { kind: 'not_permitted' }
        return null
      }
      const described = await describePlan(deps, order, command, decision)
      planned = described.transaction?.id ?? null
      return described
    }
    let view: TransactionView | null
    try {
      view = await deps.store.adjust(command.site, command.orderId, plan, command.key ?? null)
    } catch (error) {
      // Without a plan nothing was written. Otherwise the order's lock waits for a late commit.
      if (planned === null) throw error
      const transactionId: bigint = planned
      view = await untilKnown(deps, untilMs, async () => {
        await deps.store.waitForLock(command.site, command.orderId)
        return deps.findTransaction(transactionId)
      })
      if (view === null) throw error
    }
    if (refused !== null) return refused
    invariant(view !== null, 'an adjustment was written and not read back')
    deps.adviceQueued()
    return { kind: 'done', transaction: view }
  }
}

type Decision =
  | Exclude<AdjustmentResult, { kind: 'done' | 'not_permitted' }>
  | {
      readonly kind: 'allowed'
      readonly does: 'capture' | 'refund'
      readonly amount: AmountAllowed
    }
  | {
      readonly kind: 'allowed'
      readonly does: 'void' | 'capture_void'
      readonly taken: VoidAllowed
    }

/** The captured money that returns to the cardholder. */
function returnsOf(decision: Extract<Decision, { kind: 'allowed' }>): bigint {
  if ('taken' in decision) return decision.taken.totalMinor - decision.taken.voidUncapturedMinor
  return decision.does === 'refund' ? decision.amount.amountMinor : 0n
}

function refuse(refusal: AdjustmentRefusal): Decision {
  return { kind: 'refused', refusal }
}

/** In this sequence: the order, its currency, the amount's form, the line, then the money rules. */
function decide(order: LockedOrder | null, command: AdjustmentCommand): Decision {
  if (order === null) return refuse('order_not_found')
  if (command.currencyCode !== null && command.currencyCode !== order.currency.code) {
    return { kind: 'invalid', reason: 'currency_mismatch' }
  }
  let amountMinor: bigint | null = null
  if (command.amount !== null) {
    const amount = parseAmount(command.amount, order.currency)
    if (amount.kind === 'refused') {
      const reason = amount.reason === 'too_long' ? 'amount_too_long' : 'amount_not_numeric'
      return { kind: 'invalid', reason }
    }
    amountMinor = amount.minor
  }
  const { lineId } = command
  if (lineId !== null && !order.snapshot.lines.some((line) => line.id === lineId)) {
    return { kind: 'invalid', reason: 'line_mismatch' }
  }
  return decideMoney(order, command, { amountMinor, lineId })
}

function decideMoney(
  { snapshot, isCardRemoved }: LockedOrder,
  command: AdjustmentCommand,
  request: AdjustmentRequest,
): Decision {
  const { kind, refundOnFail } = command
  if (kind === 'capture' || kind === 'refund') {
    const decision = (kind === 'capture' ? decideCapture : decideRefund)(snapshot, request)
    if (decision.kind === 'refused') return decision
    // Only a refund names the card to the bank.
    if (kind === 'refund' && isCardRemoved) return refuse('card_removed')
    return { kind: 'allowed', does: kind, amount: decision }
  }
  if (refundOnFail) {
    const either = decideVoidOrRefund(snapshot, kind, request)
    if (either.kind === 'refused') return either
    if (either.kind === 'refund' && isCardRemoved) return refuse('card_removed')
    return either.kind === 'void'
      ? { kind: 'allowed', does: kind, taken: either.decision }
      : { kind: 'allowed', does: 'refund', amount: either.decision }
  }
  const decision = (kind === 'void' ? decideVoid : decideCaptureVoid)(snapshot, request)
  return decision.kind === 'refused' ? decision : { kind: 'allowed', does: kind, taken: decision }
}

async function describePlan(
  deps: AdjustOrderDeps,
  order: LockedOrder,
  command: AdjustmentCommand,
  decision: Extract<Decision, { kind: 'allowed' }>,
): Promise<AdjustmentPlan> {
  const at = command.site.clock.now()
  const messageAt = wholeSecond(deps.clock.now())
  const transactionId = await deps.nextId('transaction')
  const { apiUserId, bankTest, requestId, origin, lineId: orderLineId } = command
  const rest = { reversedWhole: false, releases: false, captureVoids: [], bankTest, at } as const
  const named = { id: transactionId, requestId, origin, apiUserId, orderLineId }
  if ('amount' in decision) {
    const valueMinor = decision.amount.amountMinor
    return {
      ...rest,
      ...(await describeMovement(deps, order, decision, messageAt)),
      transaction: { ...named, kind: decision.does, valueMinor, avsCode: '', cvvCode: '' },
    }
  }
  const { avsCode, cvvCode } = order
  const valueMinor = decision.taken.totalMinor
  return {
    ...rest,
    ...(await describeVoid(deps, order, decision.taken, messageAt)),
    transaction: { ...named, kind: decision.does, valueMinor, avsCode, cvvCode },
  }
}

/** The amount of a capture or a refund, with its message to the bank. */
async function describeMovement(
  deps: AdjustOrderDeps,
  order: LockedOrder,
  { does, amount }: Extract<Decision, { amount: unknown }>,
  messageAt: Date,
): Promise<
  Pick<AdjustmentPlan, 'capturedDelta' | 'voidedDelta' | 'refundedDelta' | 'lines' | 'advices'>
> {
  const captures = does === 'capture'
  const moved = (minor: bigint) => ({
    capturedDelta: captures ? minor : 0n,
    voidedDelta: 0n,
    refundedDelta: captures ? 0n : minor,
  })
  const { amountMinor } = amount
  return {
    ...moved(amountMinor),
    lines: await Promise.all(
      amount.lines.map(async ({ lineId, minor }) => ({
        lineId,
        // A refund has a line id of its own: merchants distinguish it from the refunded line.
        shownId: captures ? lineId : await deps.nextId('line'),
        amountMinor: minor,
        ...moved(minor),
      })),
    ),
    advices: [
      {
        id: await deps.nextId('advice'),
        kind: captures ? 'capture' : 'refund',
        amountMinor,
        remainingMinor: null,
        reason: null,
        original: order.authorization,
        message: { number: await deps.nextId('message'), at: messageAt },
      },
    ],
  }
}

async function describeVoid(
  deps: AdjustOrderDeps,
  order: LockedOrder,
  allowed: VoidAllowed,
  messageAt: Date,
): Promise<
  Pick<
    AdjustmentPlan,
    | 'capturedDelta'
    | 'voidedDelta'
    | 'refundedDelta'
    | 'reversedWhole'
    | 'lines'
    | 'captureVoids'
    | 'advices'
  >
> {
  const lines = new Map<bigint, { uncaptured: bigint; captured: bigint }>()
  const shareOf = (lineId: bigint): { uncaptured: bigint; captured: bigint } => {
    const share = lines.get(lineId) ?? { uncaptured: 0n, captured: 0n }
    lines.set(lineId, share)
    return share
  }
  for (const { lineId, minor } of allowed.uncapturedLines) shareOf(lineId).uncaptured += minor
  for (const { lineId, minor } of allowed.capturedLines) shareOf(lineId).captured += minor
  return {
    capturedDelta: allowed.voidUncapturedMinor - allowed.totalMinor,
    voidedDelta: allowed.totalMinor,
    refundedDelta: 0n,
    reversedWhole: allowed.reversesWhole,
    lines: [...lines].map(([lineId, { uncaptured, captured }]) => ({
      lineId,
      shownId: lineId,
      amountMinor: uncaptured + captured,
      capturedDelta: -captured,
      voidedDelta: uncaptured + captured,
      refundedDelta: 0n,
    })),
    captureVoids: allowed.captureVoids.map(({ captureId, minor }) => ({
      transactionId: captureId,
      minor,
    })),
    advices: await planReversals(deps, order, allowed, 'void', messageAt),
  }
}
