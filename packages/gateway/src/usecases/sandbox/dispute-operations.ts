import { refused, type Refusal, type Result } from '../../base/refusal.ts'
import { formatMinor, parseAmount } from '../../domain/money.ts'
import type { SandboxOperation } from '../../domain/sandbox/sandbox-operation.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import {
  untilFound,
  type OperationDeps,
  type OperationDispute,
  type OperationResult,
} from './operation-ports.ts'
import { untilAnswered } from './settlement-operations.ts'

const PATIENCE_MS = 15_000

interface NewCase {
  readonly orderId: bigint
  readonly event: string
  /** Decimal text; null for all that is left of the order. */
  readonly amount: string | null
  readonly reason: string | null
}

/** Opens a case about an order at the bank, and waits for its notice. */
export async function openDispute(
  deps: OperationDeps,
  site: Site,
  asked: NewCase,
): Promise<OperationResult> {
  const order = await deps.store.findOrder(site, asked.orderId)
  if (order === null) return NO_ORDER
  const { account, accountId, currency, rrn } = order
  const reading = asked.amount === null ? null : parseAmount(asked.amount, currency)
  if (reading !== null && (reading.kind === 'refused' || reading.minor === 0n)) {
    const fault = `amount is no amount above zero in ${currency.code}. Expected one such as 12.50.`
    return refused('invalid', fault, { field: 'amount' })
  }
  const minor = reading?.kind === 'amount' ? reading.minor : null
  // The bank disputes captured money only.
  await untilAnswered(deps, accountId)
  const { event, reason } = asked
  const raised = await deps.bank.raise(account, { rrn, event, minor, reason })
  if (!raised.ok) return raised
  return untilNoticed(deps, accountId, () => deps.store.findCase(site, accountId, raised.caseId))
}

type OfDispute = Extract<SandboxOperation, { readonly disputeId: bigint }>

/** Answers, decides or ends a case, and waits for the notice about it. */
export async function moveDispute(
  deps: OperationDeps,
  site: Site,
  asked: OfDispute,
  by: AuditAuthor,
): Promise<OperationResult> {
  const { disputeId } = asked
  const found = await deps.store.findDispute(site, disputeId)
  if (found === null) {
    const fault = 'The site has no such dispute. Expected the number that opened it gave.'
    return refused('missing', fault, { field: 'dispute' })
  }
  const moved = await askFor(deps, site, found, asked, by)
  if (!moved.ok) return moved
  const { accountId, state } = found
  return untilNoticed(deps, accountId, async () => {
    const now = await deps.store.findDispute(site, disputeId)
    return now === null || now.state === state ? null : now
  })
}

function askFor(
  deps: OperationDeps,
  site: Site,
  { account, caseId }: OperationDispute,
  asked: OfDispute,
  by: AuditAuthor,
): Promise<Result> {
  switch (asked.operation) {
    case 'answer-dispute': {
      const { answer: kind, disputeId, text } = asked
      return deps.answer(site, disputeId, { kind, text }, by)
    }
    case 'decide-dispute':
      return deps.bank.decide(account, caseId, asked.issuer === 'accepts' ? 'won' : 'escalate')
    case 'win-dispute':
      return deps.bank.move(account, caseId, 'won')
    case 'lose-dispute':
      return deps.bank.move(account, caseId, 'lost')
  }
}

async function untilNoticed(
  deps: OperationDeps,
  accountId: bigint,
  find: () => Promise<OperationDispute | null>,
): Promise<OperationResult> {
  const found = await untilFound(
    deps,
    PATIENCE_MS,
    async (): Promise<OperationDispute | Refusal | null> => {
      const fetched = await deps.fetchNotices(accountId)
      return fetched.ok ? find() : fetched
    },
  )
  if (found === null) {
    const fault =
      "The bank's notice is written, and not recorded yet. Look at the order's disputes."
    return refused('conflict', fault, { code: 'recording' })
  }
  return 'ok' in found ? found : { ok: true, report: shown(found) }
}

function shown({ amountMinor, caseId, currency, id, orderId, respondBy, state }: OperationDispute) {
  return {
    dispute: Number(id),
    case: caseId,
    order: orderId === null ? null : Number(orderId),
    state,
    amount: formatMinor(amountMinor, currency),
    currency: currency.code,
    respond_by: respondBy,
  }
}

/** An order that the site does not have. Its number may be a card's, so it is not repeated. */
export const NO_ORDER: Refusal = refused(
  'missing',
  'The site has no such order at the test bank. Expected the number of one.',
  { field: 'order' },
)
