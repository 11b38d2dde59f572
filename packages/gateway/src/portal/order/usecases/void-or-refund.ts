import { mayDo } from '@tollgate/portal-contract/rights'
import { findCurrency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { PortalUser } from '../../shell/usecases/portal-user.ts'
import type { VoidOrRefundStep } from '../domain/void-or-refund.ts'
import type { AdjustInPortal } from './adjust.ts'
import { refusal, type OperationAnswer } from './operation-answer.ts'
import type { SeenSums } from './order-money.ts'

/** The steps that the page showed, as they were confirmed. */
export interface PortalVoidOrRefund {
  readonly key: string
  readonly orderId: bigint
  readonly currency: string
  readonly steps: readonly Pick<VoidOrRefundStep, 'does' | 'minor' | 'whole'>[]
  readonly seen: SeenSums
}

/**
 * Voids or refunds step by step, each an operation of its own that is safe to send again. It ends
 * with the first refusal: completed steps stay done, and are returned.
 */
export async function voidOrRefundInPortal(
  adjust: AdjustInPortal,
  portalUser: PortalUser,
  address: string,
  { key, orderId, currency: code, steps, seen }: PortalVoidOrRefund,
): Promise<readonly OperationAnswer[]> {
  const currency = findCurrency(code)
  if (currency === null)
    return [refusal('invalid', 'currency', 'This is not a valid currency.', 'currency')]
  if (steps.some(({ does }) => does === 'refund') && !mayDo(portalUser.role, 'orders.refund')) {
    return [
      refusal(
        'forbidden',
        'not_allowed',
        'A part must be refunded, and your role does not allow refunds.',
      ),
    ]
  }
  const answers: OperationAnswer[] = []
  let expected = seen
  for (const [at, { does, minor, whole }] of steps.entries()) {
    const answer = await adjust(portalUser, address, {
      key: `${key}.${at + 1}`,
      orderId,
      does,
      amount: whole ? null : formatMinor(minor, currency),
      lineId: null,
      seen: expected,
    })
    answers.push(answer)
    if (!answer.ok) break
    expected = after(expected, does, minor)
  }
  return answers
}

/** The sums that a step leaves. */
function after(sums: SeenSums, does: VoidOrRefundStep['does'], minor: bigint): SeenSums {
  if (does === 'refund') return { ...sums, refundedMinor: sums.refundedMinor + minor }
  const capturedMinor = does === 'capture_void' ? sums.capturedMinor - minor : sums.capturedMinor
  return { ...sums, capturedMinor, voidedMinor: sums.voidedMinor + minor }
}
