import type { Clock } from '../../base/clock.ts'
import { invariant } from '../../base/invariant.ts'
import { refusePayment, type PaymentCommand, type PaymentResult } from './payment-command.ts'
import type { Claim } from './payment-store.ts'
import type { Found } from './resolve-payment.ts'
import type { TransactionView } from './transaction-view.ts'

export interface ClaimedReferenceDeps {
  readonly clock: Clock
  /** SHA-256 as hexadecimal text. */
  readonly digest: (text: string) => string
  readonly findTransaction: (transactionId: bigint) => Promise<TransactionView | null>
  /** Waits a little for another request of the same reference; false when it waited long enough. */
  readonly awaitClaim: (waitedMs: number) => Promise<boolean>
}

/** A payment's facts about the order reference that it names. */
export interface OrderClaim {
  /** Digest of what makes two payments of the reference the same; '' without a reference. */
  readonly content: string
  /** Whether the reference is this payment's alone until it is declined. */
  readonly held: boolean
}

/** A payment that begins later leaves the bank less than five of the answer's thirty seconds. */
const LAST_BEGIN_MS = 20_000

const DUPLICATE = refusePayment('duplicate_order', 'order_reference')

/** The consequence of the reference's holder for another payment of it; null: read again. */
export async function answerForClaim(
  deps: ClaimedReferenceDeps,
  { duplicates }: Pick<PaymentCommand, 'duplicates'>,
  content: string,
  claim: Claim,
  waitedMs: number,
): Promise<PaymentResult | null> {
  if (duplicates === 'refuse' && claim.state === 'approved') return DUPLICATE
  if (duplicates === 'replay' && claim.content !== content) return DUPLICATE
  if (duplicates === 'refuse' && waitedMs >= LAST_BEGIN_MS) return DUPLICATE
  if (claim.state === 'running' && (await deps.awaitClaim(waitedMs))) return null
  if (duplicates === 'refuse') return DUPLICATE
  return { kind: 'done', transaction: await readBack(deps, claim.transactionId) }
}

/** The facts that make two payments of one reference the same. */
export function contentOf(
  { digest }: Pick<ClaimedReferenceDeps, 'digest'>,
  { command, currency, fingerprint }: Pick<Found, 'command' | 'currency' | 'fingerprint'>,
): string {
  return digest([command.kind, currency.code, command.totalMinor, fingerprint].join('|'))
}

/** A transaction that is known to be there, as it is written. */
export async function readBack(
  deps: Pick<ClaimedReferenceDeps, 'findTransaction'>,
  transactionId: bigint,
): Promise<TransactionView> {
  const transaction = await deps.findTransaction(transactionId)
  invariant(transaction !== null, 'a claimed or concluded transaction is gone')
  return transaction
}
