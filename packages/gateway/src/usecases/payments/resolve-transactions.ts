import type { Clock } from '../../base/clock.ts'
import { originalMti } from '../../domain/payments/original-message.ts'
import type { SiteClocks } from '../clocks/site-clocks.ts'
import type { Mode } from '../merchants/merchant-directory.ts'
import { NO_BANK_FACTS, SERVICE } from './payment-ending.ts'
import { wholeSecond, type IdKind } from './payment-intent.ts'
import type { MessageIdentity, PaymentStore } from './payment-store.ts'
import type { TransactionKind } from './transaction-view.ts'

/** A transaction whose request died between asking the bank and writing down the answer. */
export interface OpenTransaction {
  readonly transactionId: bigint
  readonly orderId: bigint
  readonly merchantId: bigint
  readonly merchantAccountId: bigint
  readonly siteId: bigint
  readonly mode: Mode
  readonly kind: TransactionKind
  readonly amountMinor: bigint
  readonly message: MessageIdentity
  /** Its reference is claimed and must be given free. */
  readonly claimedReference: string | null
}

export interface ResolveTransactionsDeps {
  readonly findOpen: (before: Date, limit: number) => Promise<readonly OpenTransaction[]>
  readonly conclude: PaymentStore['conclude']
  /** The machine's. */
  readonly clock: Clock
  readonly siteClocks: SiteClocks
  readonly nextId: (kind: IdKind) => bigint | Promise<bigint>
  readonly adviceQueued: () => void
  /** No request older than this can still be waiting for the bank. */
  readonly olderThanMs: number
}

const GROUP_SIZE = 64

/**
 * Ends what a crash left open. It is unknown whether the bank holds money, so the payment has
 * failed and a reversal is queued in the same write. True when there may be more.
 */
export async function resolveTransactions(deps: ResolveTransactionsDeps): Promise<boolean> {
  const at = deps.clock.now()
  const open = await deps.findOpen(new Date(at.getTime() - deps.olderThanMs), GROUP_SIZE)
  await Promise.all(
    open.map(async (transaction) =>
      deps.conclude({
        transactionId: transaction.transactionId,
        orderId: transaction.orderId,
        merchantId: transaction.merchantId,
        merchantAccountId: transaction.merchantAccountId,
        siteId: transaction.siteId,
        mode: transaction.mode,
        kind: transaction.kind,
        state: 'failed',
        valueMinor: transaction.amountMinor,
        serviceCode: SERVICE.outcomeUnknown,
        bank: NO_BANK_FACTS,
        expiresAt: null,
        lineAmounts: null,
        advice: {
          id: await deps.nextId('advice'),
          kind: 'reversal',
          amountMinor: transaction.amountMinor,
          remainingMinor: null,
          reason: 'unknown_outcome',
          original: {
            mti: originalMti(transaction.kind),
            ...transaction.message,
          },
          message: { number: await deps.nextId('message'), at: wholeSecond(at) },
        },
        accountUpdate: null,
        memberships: [],
        claim:
          transaction.claimedReference === null
            ? null
            : { reference: transaction.claimedReference, after: 'free', content: '' },
        origin: 'resolver',
        at: (await deps.siteClocks.of(transaction.siteId)).now(),
      }),
    ),
  )
  if (open.length > 0) deps.adviceQueued()
  return open.length === GROUP_SIZE
}
