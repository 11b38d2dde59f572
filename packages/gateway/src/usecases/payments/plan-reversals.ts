import { invariant } from '../../base/invariant.ts'
import type { VoidAllowed } from '../../domain/payments/order.ts'
import type { ReversalReason } from '../../domain/payments/reversal-reason.ts'
import type { LockedOrder } from './adjustment-store.ts'
import type { IdKind } from './payment-intent.ts'
import type { NewAdvice } from './payment-store.ts'

/**
 * The messages to the bank about a void: each capture that shrinks, then how much of the
 * authorization remains. A reversed capture alone would leave its money held. `messageAt`: a whole
 * second of the machine's clock, which the bank knows the messages by.
 */
export async function planReversals(
  deps: { readonly nextId: (kind: IdKind) => bigint | Promise<bigint> },
  order: LockedOrder,
  allowed: Pick<VoidAllowed, 'captureVoids' | 'totalMinor'>,
  reason: ReversalReason,
  messageAt: Date,
): Promise<NewAdvice[]> {
  const { snapshot, authorization } = order
  const advices: NewAdvice[] = []
  for (const { captureId, minor } of allowed.captureVoids) {
    const capture = snapshot.captures.find((candidate) => candidate.transactionId === captureId)
    const message = order.captureMessages.get(captureId)
    invariant(capture !== undefined && message !== undefined, 'a voided capture has no message')
    const remaining = capture.amountMinor - capture.voidedMinor - minor
    advices.push({
      id: await deps.nextId('advice'),
      kind: 'reversal',
      amountMinor: capture.amountMinor,
      remainingMinor: remaining === 0n ? null : remaining,
      reason,
      original: { mti: '0220', ...message },
      message: { number: await deps.nextId('message'), at: messageAt },
    })
  }
  const { authorizedMinor, voidedMinor } = snapshot.money
  const remaining = authorizedMinor - voidedMinor - allowed.totalMinor
  advices.push({
    id: await deps.nextId('advice'),
    kind: 'reversal',
    amountMinor: authorizedMinor,
    remainingMinor: remaining === 0n ? null : remaining,
    reason,
    original: authorization,
    message: { number: await deps.nextId('message'), at: messageAt },
  })
  return advices
}
