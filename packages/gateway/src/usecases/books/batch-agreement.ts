import type { Clock } from '../../base/clock.ts'
import {
  compareDetail,
  waitAfterTry,
  type BrandFigures,
  type DetailDifference,
  type DetailEntry,
  type OwnEntry,
} from '../../domain/books/batch-agreement.ts'
import type { Currency } from '../../domain/currency.ts'
import type { MerchantAccount } from '../merchants/merchant-directory.ts'
import type { MessageIdentity } from '../payments/payment-store.ts'
import type { BatchProcessor, TotalsRequest } from './batch-processor.ts'
import type { BatchSum } from './batches.ts'

/** A 0500 that this process has taken on to send; others leave it alone until the lease ends. */
export interface DueTotals {
  readonly tries: number
  readonly request: TotalsRequest
}

/** A batch whose detail this process compares. */
export interface BatchToCompare {
  readonly batchId: bigint
  readonly account: MerchantAccount
  /** Those out of balance. */
  readonly currencies: readonly Currency[]
}

export interface CurrencyDifference extends DetailDifference {
  readonly currency: string
}

/** The content of a closed batch, which cannot change any more. */
export interface BatchContent {
  readonly sums: readonly BatchSum[]
  /**
   * The totals that the bank is asked about, by currency; none with an acquirer that does not agree
   * on batches. Unreferenced credits name no batch to the bank, so they do not count.
   */
  readonly totals: ReadonlyMap<string, readonly BrandFigures[]>
}

/** The steps of closing batches, each of them in one transaction. */
export interface AgreementStore {
  /** Batches after their cut-off whose content is not fixed. */
  findClosing(): Promise<readonly bigint[]>
  /**
   * Moves captures and refunds without an answer of the bank to the account's open batch, until
   * none is left. Their messages then name that batch.
   */
  moveUnanswered(batchId: bigint): Promise<void>
  /** Counts the batch; null while an answer is missing. */
  count(batchId: bigint): Promise<BatchContent | null>
  /**
   * Stores the content, and writes the 0500 of each currency with one of the messages. Does nothing
   * when another process was first.
   */
  fix(
    batchId: bigint,
    content: BatchContent,
    messages: readonly MessageIdentity[],
    by: string,
  ): Promise<void>
  /** Leases due 0500s; the lease ends at `until`. */
  takeTotals(limit: number, now: Date, until: Date): Promise<readonly DueTotals[]>
  postponeTotals(due: DueTotals, nextTryAt: Date, responseCode: string | null): Promise<void>
  /** Stores the answer. The last one of a batch ends the batch, or starts its comparison. */
  answerTotals(
    due: DueTotals,
    answer: {
      readonly inBalance: boolean
      readonly responseCode: string
      readonly brands: readonly BrandFigures[]
    },
    at: Date,
    by: string,
  ): Promise<void>
  takeComparison(now: Date, until: Date): Promise<BatchToCompare | null>
  readOwnDetail(batchId: bigint, currency: string): Promise<readonly OwnEntry[]>
  /** Ends the batch as differing. Does nothing when another process was first. */
  finishComparison(
    batchId: bigint,
    differences: readonly CurrencyDifference[],
    at: Date,
    by: string,
  ): Promise<void>
}

export interface AgreementDeps {
  readonly store: AgreementStore
  readonly processor: BatchProcessor
  readonly clock: Clock
  readonly nextMessage: () => bigint | Promise<bigint>
  readonly bankTimeoutMs: number
  /** How the audit log calls this process. */
  readonly actor: string
  readonly onDiffering: (batchId: bigint, rows: number) => void
}

const TAKEN_AT_ONCE = 16
const LEASE_MARGIN_MS = 10_000
/** A comparison reads page by page; a process that dies leaves it to another one after this. */
const COMPARISON_LEASE_MS = 120_000

/** Does the next step of every batch that is being closed; true when there may be more at once. */
export async function agreeBatches(deps: AgreementDeps): Promise<boolean> {
  for (const batchId of await deps.store.findClosing()) await fixContent(deps, batchId)
  const answered = await sendTotals(deps)
  const compared = await compareOne(deps)
  return answered || compared
}

async function fixContent(deps: AgreementDeps, batchId: bigint): Promise<void> {
  await deps.store.moveUnanswered(batchId)
  const content = await deps.store.count(batchId)
  if (content === null) return
  const messages: MessageIdentity[] = []
  for (const _currency of content.totals.keys()) messages.push(await nextMessage(deps))
  await deps.store.fix(batchId, content, messages, deps.actor)
}

async function sendTotals(deps: AgreementDeps): Promise<boolean> {
  const now = deps.clock.now()
  const lease = new Date(now.getTime() + deps.bankTimeoutMs + LEASE_MARGIN_MS)
  const due = await deps.store.takeTotals(TAKEN_AT_ONCE, now, lease)
  const outcomes = await Promise.all(due.map((one) => sendOne(deps, one)))
  return outcomes.some((isAnswered) => isAnswered)
}

async function sendOne(deps: AgreementDeps, due: DueTotals): Promise<boolean> {
  const outcome = await deps.processor.agreeTotals(due.request, deps.bankTimeoutMs)
  const at = deps.clock.now()
  if (outcome.kind === 'answered') {
    await deps.store.answerTotals(due, outcome, at, deps.actor)
    return true
  }
  const responseCode = outcome.kind === 'refused' ? outcome.responseCode : null
  const nextTryAt = new Date(at.getTime() + waitAfterTry(due.tries))
  await deps.store.postponeTotals(due, nextTryAt, responseCode)
  return false
}

async function compareOne(deps: AgreementDeps): Promise<boolean> {
  const now = deps.clock.now()
  const lease = new Date(now.getTime() + COMPARISON_LEASE_MS)
  const batch = await deps.store.takeComparison(now, lease)
  if (batch === null) return false
  const differences: CurrencyDifference[] = []
  for (const currency of batch.currencies) {
    const bank = await readBankDetail(deps, batch, currency)
    // The lease ends, and the comparison begins again then: nothing of it was written.
    if (bank === null) return false
    const own = await deps.store.readOwnDetail(batch.batchId, currency.code)
    const found = compareDetail(own, bank)
    differences.push(...found.map((difference) => ({ ...difference, currency: currency.code })))
  }
  await deps.store.finishComparison(batch.batchId, differences, deps.clock.now(), deps.actor)
  deps.onDiffering(batch.batchId, differences.length)
  return true
}

/** All pages; null when one of them did not come. */
async function readBankDetail(
  deps: AgreementDeps,
  { batchId, account }: BatchToCompare,
  currency: Currency,
): Promise<DetailEntry[] | null> {
  const rows: DetailEntry[] = []
  for (;;) {
    const message = await nextMessage(deps)
    const request = { message, account, batchId, currency, from: rows.length }
    const page = await deps.processor.readDetail(request, deps.bankTimeoutMs)
    if (page.kind !== 'answered') return null
    rows.push(...page.rows)
    if (rows.length >= page.total) return rows
    if (page.rows.length === 0) return null
  }
}

async function nextMessage({ nextMessage: next, clock }: AgreementDeps): Promise<MessageIdentity> {
  return { number: await next(), at: clock.now() }
}
