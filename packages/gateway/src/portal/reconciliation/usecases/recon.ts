import type { Role } from '@tollgate/portal-contract/rights'
import type { DifferenceReason, OrderFigures } from '../../../domain/books/order-comparison.ts'
import { howOften, UNKNOWN_ORDER } from '../../../usecases/books/reason-words.ts'
import type {
  CurrencyTotals,
  ComparisonProgress,
  Reconciliation,
} from '../../../usecases/books/reconcile.ts'
import type { DifferenceOperation } from '../domain/difference-changes.ts'

export interface ReconRun {
  readonly id: bigint
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  /** `portal:<e-mail>`, or `gateway` for the daily one. */
  readonly requestedBy: string
  readonly requestedAt: Date
  readonly finishedAt: Date | null
  readonly doing: string
  readonly ordersSeen: number
  /** Why it could not be made; '' otherwise. */
  readonly fault: string
  /** Null before it is done; so are the differences. */
  readonly orders: number | null
  readonly differences: number | null
  readonly totals: readonly CurrencyTotals[]
}

export interface PortalUserName {
  readonly id: bigint
  readonly name: string
  readonly email: string
}

export interface ReconDifference {
  readonly id: bigint
  readonly orderId: bigint
  readonly currency: string
  /** Set where the bank has the order in another currency. */
  readonly bankCurrency: string | null
  /** Null where the books do not know the order. */
  readonly gateway: OrderFigures | null
  readonly ledger: OrderFigures | null
  readonly bank: OrderFigures | null
  /** The explanations, in words. */
  readonly reasons: readonly string[]
  readonly firstSeenAt: Date
  readonly lastSeenAt: Date
  readonly goneAt: Date | null
  readonly owner: PortalUserName | null
  readonly resolvedBy: PortalUserName | null
  readonly resolvedAt: Date | null
  readonly version: number
  readonly notes: readonly ReconNote[]
}

export interface ReconNote {
  readonly portalUser: string
  readonly at: Date
  readonly what: DifferenceOperation
  readonly text: string
}

export type DifferenceFilter = 'open' | 'resolved' | 'gone' | 'all'

/** A user's operation on a difference. `version`: the one that they saw. */
export interface DifferenceChange {
  readonly version: number
  readonly what: ReconNote['what']
  /** Of `handed`: to whom. */
  readonly ownerId: bigint | null
  readonly note: string
}

export interface Actor {
  readonly portalUserId: bigint
  readonly actor: string
  readonly address: string
}

export interface ReconBook {
  runs(merchantId: bigint, limit: number): Promise<ReconRun[]>
  run(merchantId: bigint, id: bigint): Promise<ReconRun | null>
  schedule(merchantId: bigint): Promise<number | null>
  differences(
    merchantId: bigint,
    filter: DifferenceFilter,
    before: bigint | null,
    limit: number,
  ): Promise<ReconDifference[]>
  /** Everybody of the merchant who is active. */
  portalUsers(merchantId: bigint): Promise<readonly (PortalUserName & { readonly role: Role })[]>
  /**
   * Whether all, some or none of the merchant's accounts are with the bundled bank, whose books can
   * be read.
   */
  comparable(merchantId: bigint): Promise<{ readonly bundled: number; readonly others: number }>
}

/** The ports of the job that makes the requested comparisons. */
export interface ReconQueue {
  /** Asks for the daily ones that are due. */
  requestDue(now: Date): Promise<void>
  /** Takes the next one; one whose process has died is taken again. Null when there is none. */
  take(): Promise<{ readonly id: bigint; readonly merchantId: bigint } | null>
  reportProgress(id: bigint, progress: ComparisonProgress): Promise<void>
  /** Writes what was found: new and lasting differences, and marks those that are gone. */
  finish(
    run: { readonly id: bigint; readonly merchantId: bigint },
    found: Reconciliation,
  ): Promise<void>
  fail(id: bigint, fault: string): Promise<void>
  /** It was interrupted: the next run starts it again. */
  requeue(id: bigint): Promise<void>
}

const REPORT_EVERY_MS = 500

/** The ports of a comparison. */
export interface Comparing {
  readonly queue: ReconQueue
  readonly compare: (
    merchantId: bigint,
    onProgress: (progress: ComparisonProgress) => void,
  ) => Promise<Reconciliation>
  /** A sentence for portal users of why the books cannot be compared; null for our own faults. */
  readonly explain: (error: unknown) => string | null
  readonly monotonicMs: () => number
  readonly now: () => Date
  /** Of a process that is stopping: it waits for no comparison to end. */
  readonly signal: AbortSignal
}

/** Makes one comparison that was asked for. True when there was one, and it is over. */
export async function makeNextComparison(deps: Comparing): Promise<boolean> {
  const { queue, monotonicMs, signal } = deps
  await queue.requestDue(deps.now())
  const run = await queue.take()
  if (run === null) return false
  let reportedAt = -Infinity
  let reporting = Promise.resolve()
  const report = (progress: ComparisonProgress): void => {
    signal.throwIfAborted()
    if (monotonicMs() - reportedAt < REPORT_EVERY_MS) return
    reportedAt = monotonicMs()
    // A progress report may get lost; it must not arrive after the end.
    reporting = reporting.then(() => queue.reportProgress(run.id, progress)).catch(() => undefined)
  }
  try {
    const found = await deps.compare(run.merchantId, report)
    await reporting
    await queue.finish(run, found)
  } catch (error) {
    await reporting
    if (signal.aborted) {
      await queue.requeue(run.id)
      return false
    }
    const fault = deps.explain(error)
    await queue.fail(run.id, fault ?? 'The gateway had an internal error. Its log has the details.')
    if (fault === null) throw error
  }
  return true
}

/** A reason in words, as `tollgate recon` prints it; amounts by `amountText`. */
export function reasonText(
  reason: DifferenceReason,
  amountText: (minor: bigint) => string,
  bankCurrency: string | null,
): string {
  switch (reason.kind) {
    case 'unknown_to_gateway':
    case 'unknown_to_bank':
      return UNKNOWN_ORDER[reason.kind]
    case 'ledger_differs':
      return 'The ledger and the order disagree. This is an error of the gateway: report it to the operator.'
    case 'currency_differs':
      return `The bank has this order in ${bankCurrency}.`
    case 'transaction_running':
      return 'The payment is still in progress.'
    case 'advice_queued':
    case 'reversal_pending':
      return (
        `A ${WORDS[reason.advice.kind]} of ${amountText(reason.advice.amountMinor)} is not confirmed by the bank yet; ` +
        `it was sent ${howOften(reason.advice.tries)}.`
      )
    case 'advice_refused':
      return (
        `The bank refused a ${WORDS[reason.advice.kind]} of ${amountText(reason.advice.amountMinor)} ` +
        `with code ${reason.advice.responseCode}: contact the bank to resolve it.`
      )
    case 'unexplained':
      return 'No pending message explains the difference. Contact the bank.'
  }
}

const WORDS = { capture: 'capture', refund: 'refund', reversal: 'reversal' } as const
