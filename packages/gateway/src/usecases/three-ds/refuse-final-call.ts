import { MISMATCHES_ALLOWED } from '../../domain/three-ds/binding.ts'
import { THREE_DS_SERVICE } from '../../domain/three-ds/enrolment-decision.ts'
import type { SiteInTime } from '../merchants/merchant-directory.ts'
import { readBack, type ClaimedReferenceDeps } from '../payments/claimed-reference.ts'
import { untilKnown, type Patience } from '../payments/learn-truth.ts'
import type { PaymentResult } from '../payments/payment-command.ts'
import { NO_BANK_FACTS } from '../payments/payment-ending.ts'
import { resultCodes, type TransactionView } from '../payments/transaction-view.ts'
import { isOpen, type StoredAuthentication } from './authentication-store.ts'
import type { ThreeDsDeps } from './three-ds-deps.ts'

export interface RefuseFinalCallDeps extends ClaimedReferenceDeps, Patience {
  readonly threeDs: ThreeDsDeps
}

const WRITE_PATIENCE_MS = 10_000

/**
 * Another payment than the one that was authenticated. It may be a mistake; the third one is not.
 */
export async function refuseMismatch(
  deps: RefuseFinalCallDeps,
  { clock }: SiteInTime,
  seen: StoredAuthentication,
  what: string,
): Promise<PaymentResult> {
  const { store, notice } = deps.threeDs
  const { serverTransId } = seen
  if (!isOpen(seen)) return notAuthenticated(deps, seen)
  notice({ kind: 'mismatch', serverTransId, what })
  const mismatches = await store.countMismatch(serverTransId)
  if (mismatches !== null && mismatches > MISMATCHES_ALLOWED) {
    const end = {
      serverTransId,
      from: ['challenge', 'result'] as const,
      response: 'N',
      eci: '',
      answer: null,
      finalDigest: null,
      at: clock.now(),
    }
    const serviceCode = THREE_DS_SERVICE.notAuthenticated
    const untilMs = deps.monotonicMs() + WRITE_PATIENCE_MS
    await untilKnown(deps, untilMs, () => store.decline(end, { state: 'failed', serviceCode }))
  }
  return notAuthenticated(deps, seen)
}

/** A decline of this call; what it was about stays as it is. */
export async function notAuthenticated(
  deps: Pick<RefuseFinalCallDeps, 'findTransaction'>,
  { transactionId }: StoredAuthentication,
): Promise<PaymentResult> {
  const known = await readBack(deps, transactionId)
  const transaction: TransactionView = {
    ...known,
    state: 'declined',
    batchId: null,
    processorName: '',
    conversion: null,
    authCode: '',
    retrievalReference: '',
    processorReference: '',
    networkTransactionId: '',
    avsCode: '',
    cvvCode: '',
    codes: resultCodes('declined', THREE_DS_SERVICE.notAuthenticated, NO_BANK_FACTS),
    threeDs: known.threeDs && { ...known.threeDs, response: 'N', eci: '', challenge: null },
  }
  return { kind: 'done', transaction, passing: true }
}
