import { invariant } from '../../base/invariant.ts'
import {
  referenceAfter,
  type ClaimDecision,
  type NewClaim,
  type ReferenceClaim,
} from '../../domain/payments/reference-claim.ts'
import type { ThreeDsRequest } from '../three-ds/three-ds-request.ts'
import { refusePayment, type PaymentCommand, type PaymentResult } from './payment-command.ts'
import type { PaymentConclusion } from './payment-store.ts'
import type { Found } from './resolve-payment.ts'
import type { TransactionView } from './transaction-view.ts'

export interface ClaimedReferenceDeps {
  /** A keyed digest as hexadecimal text. */
  readonly digest: (text: string) => string
  readonly findTransaction: (transactionId: bigint) => Promise<TransactionView | null>
  /** Waits a little for another request of the same reference; false when it waited long enough. */
  readonly awaitClaim: (waitedMs: number) => Promise<boolean>
}

/** A payment's facts about the order reference that it names. */
export interface OrderClaim extends NewClaim {
  /** Digest of what makes two payments of the reference the same; '' without a reference. */
  readonly content: string
  /** Digest of what may make another such payment end differently; '' where nothing compares it. */
  readonly details: string
  /** Whether the reference is this payment's alone until it ends. */
  readonly held: boolean
}

/** A payment that begins later leaves the bank less than five of the answer's thirty seconds. */
export const LAST_BEGIN_MS = 20_000

const DUPLICATE = refusePayment('duplicate_order', 'order_reference')

/** The answer to a payment whose reference is held by another; null: read the holder again. */
export async function answerOfHolder(
  deps: ClaimedReferenceDeps,
  duplicates: PaymentCommand['duplicates'],
  { transactionId }: ReferenceClaim,
  decision: Exclude<ClaimDecision, { kind: 'begin' }>,
  waitedMs: number,
): Promise<PaymentResult | null> {
  if (decision.kind === 'duplicate') return DUPLICATE
  if (decision.kind === 'repeat') return stored(deps, decision.transactionId)
  if (duplicates === 'refuse' && waitedMs >= LAST_BEGIN_MS) return DUPLICATE
  if (await deps.awaitClaim(waitedMs)) return null
  return duplicates === 'refuse' ? DUPLICATE : stored(deps, transactionId)
}

/** The facts that make two payments of one reference the same. */
export function contentOf(
  { digest }: Pick<ClaimedReferenceDeps, 'digest'>,
  { command, currency, fingerprint }: Pick<Found, 'command' | 'currency' | 'fingerprint'>,
): string {
  return digest([command.kind, currency.code, command.totalMinor, fingerprint].join('|'))
}

/**
 * The content, and what a customer or a merchant may correct after a decline. Of a security code
 * only its presence counts, because nothing that follows from it may be stored.
 */
export function detailsOf(
  { digest }: Pick<ClaimedReferenceDeps, 'digest'>,
  { account, command, currency, cvv, expiry, fingerprint }: Omit<Found, 'pan' | 'token'>,
): string {
  const { avsMode, avsMatchSet, billing, cvvMode, cvvMatchSet, initiation, partial } = command
  const details = [
    [command.kind, currency.code, command.totalMinor, fingerprint, account.id],
    [expiry?.month, expiry?.year, cvv !== null, Object.values(billing)],
    [avsMode, cvvMode, avsMatchSet, cvvMatchSet, partial.allowed, partial.minimumMinor],
    Object.values(initiation),
    authenticationOf(command.threeDs),
  ]
  return digest(JSON.stringify(details, (_, part: unknown) => textOfId(part)))
}

/** Each authentication is another attempt. */
function authenticationOf(threeDs: ThreeDsRequest | null): readonly string[] {
  if (threeDs === null) return []
  switch (threeDs.kind) {
    case 'enrol':
      return [threeDs.kind, threeDs.reference]
    case 'final':
      return [threeDs.kind, threeDs.procTransId]
    case 'outside':
      return [threeDs.kind, threeDs.values.eci, threeDs.values.dsTransId]
    case 'skipped':
    case 'exempt':
      return [threeDs.kind]
  }
}

function textOfId(part: unknown): unknown {
  return typeof part === 'bigint' ? part.toString() : part
}

/** The consequence of a payment's end for the reference that it names; null: it names none. */
export function concludeClaim(
  { kind, orderReference: reference }: PaymentCommand,
  { content, held }: OrderClaim,
  { state, bank }: Pick<PaymentConclusion, 'state' | 'bank'>,
): PaymentConclusion['claim'] {
  if (reference === '' || kind === 'refund') return null
  return { reference, content, after: held ? referenceAfter(state, bank.cvvCode) : null }
}

/** A transaction that is known to be there, as the answer. */
export async function stored(
  deps: Pick<ClaimedReferenceDeps, 'findTransaction'>,
  transactionId: bigint,
): Promise<Extract<PaymentResult, { kind: 'done' }>> {
  return { kind: 'done', repeated: true, transaction: await readBack(deps, transactionId) }
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
