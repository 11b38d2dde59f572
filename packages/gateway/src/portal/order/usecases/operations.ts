import { holdsCardNumber } from '../../../base/card-number-text.ts'
import type { Clock } from '../../../base/clock.ts'
import type { RefusalKind } from '../../../base/refusal.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { AuditOperation, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { RequestLogEntry } from '../../../usecases/audit/request-log.ts'
import type {
  DescribeOperation,
  RequestedOperation,
} from '../../../usecases/audit/requested-operation.ts'
import type {
  TransactionKind,
  TransactionView,
} from '../../../usecases/payments/transaction-view.ts'
import { portalUserActor, type PortalUser } from '../../shell/usecases/portal-user.ts'
import { explainRefusal } from '../../words/decline-reasons.ts'
import {
  INTERRUPTED,
  KEY_REUSED,
  STILL_RUNNING,
  type OperationAnswer,
  type OperationOutcome,
  type OperationRefusal,
} from './operation-answer.ts'

export type OperationKind =
  | 'capture'
  | 'void'
  | 'capture_void'
  | 'refund'
  | 'authorization'
  | 'sale'
  | 'charge'

/** A user's request, stored before any of it happens. */
export interface NewOperation {
  readonly portalUser: PortalUser
  readonly address: string
  readonly siteId: bigint
  readonly key: string
  readonly operation: OperationKind
  /** Of a new payment the order that it becomes, whose id is given before. */
  readonly orderId: bigint
  readonly sourceOrderId: bigint | null
  /** Of a new payment, given before. */
  readonly transactionId: bigint | null
  /** The content of the request: the same key must not come with anything else. */
  readonly content: unknown
}

export interface StoredOperation {
  readonly id: bigint
  readonly merchantId: bigint
  readonly operation: OperationKind
  readonly orderId: bigint
  readonly siteId: bigint
  readonly requestId: bigint
  readonly transactionId: bigint | null
  readonly state: 'begun' | 'done' | 'refused' | 'interrupted'
  readonly digest: string
  /** The time since its start, by the database's clock. */
  readonly ageMs: number
  readonly result: OperationAnswer | null
  readonly portalUser: { readonly email: string }
  readonly address: string
}

export interface OperationStore {
  /** Stores the operation, or returns the one that has the key already. */
  begin(
    operation: Omit<NewOperation, 'content'>,
    requestId: bigint,
    digest: string,
  ): Promise<{ readonly isNew: boolean; readonly operation: StoredOperation }>
  find(id: bigint): Promise<StoredOperation>
  /**
   * Ends an operation with its audit entry, in one write. An operation that ended meanwhile stays
   * as it is, except for an interruption that proves wrong. Returns the answer that counts.
   */
  end(id: bigint, answer: OperationAnswer, entry: AuditEntry): Promise<OperationAnswer>
  /** From now on it cannot happen, if it has not: the holder of the order's lock checks. */
  interrupt(id: bigint, answer: OperationAnswer, entry: AuditEntry): Promise<void>
  /** Waits until no one who began before holds the order. */
  waitForLock(orderId: bigint): Promise<void>
  isBegun(id: bigint): Promise<boolean>
  /** The transaction that the request became; null for none. */
  findOutcome(
    operation: Pick<StoredOperation, 'orderId' | 'requestId' | 'transactionId'>,
  ): Promise<bigint | null>
  /** Operations that no process works on any more. */
  findForgotten(olderThanMs: number): Promise<readonly StoredOperation[]>
}

export interface OperationDeps {
  readonly operations: OperationStore
  readonly clock: Clock
  readonly nextRequestId: () => bigint | Promise<bigint>
  readonly findTransaction: (transactionId: bigint) => Promise<TransactionView | null>
  readonly logRequest: (entry: RequestLogEntry) => void
  readonly describeOperation: DescribeOperation
  /** The status of HTTP that an answer has; null: of what was done. */
  readonly statusOf: (kind: RefusalKind | null) => number
  /** SHA-256 as hexadecimal text. */
  readonly digest: (text: string) => string
  readonly pause: (ms: number) => Promise<void>
}

const LOOK_EVERY_MS = 200
const WAIT_MS = 15_000
/** Longer than any payment or adjustment is worked on. */
const FORGOTTEN_MS = 120_000

export interface Operations {
  /** Does it once: a repeat of the key gets the first result, also while that runs. */
  once(
    operation: NewOperation,
    requested: RequestedOperation,
    perform: (operation: StoredOperation) => Promise<TransactionView | OperationRefusal>,
  ): Promise<OperationAnswer>
  /** Ends what a gateway that died has left. Of use to every process, as often as it likes. */
  recoverForgotten(): Promise<void>
}

/** Users' operations on orders, each done once for its key, even if the process crashes. */
export function createOperations(deps: OperationDeps): Operations {
  const { operations } = deps
  const running = new Map<bigint, Promise<OperationAnswer>>()

  async function finish(
    operation: StoredOperation,
    outcome: TransactionView | OperationRefusal,
    requested: RequestedOperation | null,
    startedAt: Date,
  ): Promise<OperationAnswer> {
    const answer: OperationAnswer =
      'ok' in outcome ? outcome : { ok: true, outcome: outcomeOf(outcome) }
    const ended = await operations.end(operation.id, answer, auditEntry(operation, answer))
    if (requested !== null) deps.logRequest(logEntry(deps, operation, requested, answer, startedAt))
    return ended
  }

  /** The result of an operation whose process may be gone. */
  async function recover(operation: StoredOperation): Promise<OperationAnswer | null> {
    let transactionId = await operations.findOutcome(operation)
    if (transactionId === null) {
      // First the mark, then the lock: who holds the lock now is waited for, who comes later sees
      // the mark.
      await operations.interrupt(operation.id, INTERRUPTED, auditEntry(operation, INTERRUPTED))
      await operations.waitForLock(operation.orderId)
      transactionId = await operations.findOutcome(operation)
      if (transactionId === null) return INTERRUPTED
    }
    const transaction = await deps.findTransaction(transactionId)
    // The resolver of payments ends it; until then the result is unknown.
    if (transaction === null || transaction.state === 'running') return null
    return finish(operation, transaction, null, deps.clock.now())
  }

  async function answerRepeat(first: StoredOperation): Promise<OperationAnswer> {
    let operation = first
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_EVERY_MS) {
      if (operation.state !== 'begun' && operation.result !== null) return operation.result
      const here = running.get(operation.id)
      if (here !== undefined) return here
      if (operation.ageMs > FORGOTTEN_MS) {
        const answer = await recover(operation)
        if (answer !== null) return answer
      }
      await deps.pause(LOOK_EVERY_MS)
      operation = await operations.find(operation.id)
    }
    return STILL_RUNNING
  }

  return {
    async once(newOperation, requested, perform) {
      const startedAt = deps.clock.now()
      const { content, ...rest } = newOperation
      const digest = deps.digest(
        JSON.stringify(content, (_, part: unknown) =>
          typeof part === 'bigint' ? part.toString() : part,
        ),
      )
      const { isNew, operation } = await operations.begin(rest, await deps.nextRequestId(), digest)
      if (!isNew) return operation.digest === digest ? answerRepeat(operation) : KEY_REUSED
      const work = perform(operation).then((outcome) =>
        finish(operation, outcome, requested, startedAt),
      )
      running.set(operation.id, work)
      try {
        return await work
      } finally {
        running.delete(operation.id)
      }
    },
    async recoverForgotten() {
      for (const operation of await operations.findForgotten(FORGOTTEN_MS)) await recover(operation)
    },
  }
}

const DONE: Readonly<Record<TransactionKind, string>> = {
  capture: 'captured',
  refund: 'refunded',
  void: 'voided',
  capture_void: 'voided',
  authorization: 'authorized',
  sale: 'charged',
}

function outcomeOf(view: TransactionView): OperationOutcome {
  const amountMinor = view.valueMinor < 0n ? -view.valueMinor : view.valueMinor
  const amount = `${formatMinor(amountMinor, view.currency)} ${view.currency.code}`
  const isApproved = view.state === 'approved'
  const isCheck = view.kind === 'authorization' && amountMinor === 0n
  const refusal = isApproved
    ? null
    : explainRefusal(
        {
          serviceCode: view.codes.service,
          responseCode: view.codes.processor === '0' ? '' : view.codes.processor,
          merchantAdvice: '',
          brand: view.card.brand,
        },
        view.createdAt,
      )
  const done = isCheck ? 'The card check was successful.' : `${amount} ${DONE[view.kind]}.`
  return {
    kind: 'done',
    sentence: isApproved ? done : (refusal?.reason ?? ''),
    orderId: view.orderId,
    transactionId: view.transactionId,
    did: view.kind,
    state: view.state,
    amountMinor,
    currency: view.currency.code,
    refusal,
  }
}

const AUDITED: Readonly<Record<OperationKind, AuditOperation>> = {
  capture: 'order.captured',
  void: 'order.voided',
  capture_void: 'order.voided',
  refund: 'order.refunded',
  authorization: 'card.charged',
  sale: 'card.charged',
  charge: 'card.charged',
}

function auditEntry(operation: StoredOperation, answer: OperationAnswer): AuditEntry {
  return {
    actor: portalUserActor(operation.portalUser),
    operation: AUDITED[operation.operation],
    object: `order ${operation.orderId}`,
    merchantId: operation.merchantId,
    address: operation.address,
    result: !answer.ok ? 'refused' : answer.outcome.state === 'approved' ? 'done' : 'failed',
    details: answer.ok
      ? {
          request: operation.requestId.toString(),
          transaction: answer.outcome.transactionId.toString(),
          did: answer.outcome.did,
          state: answer.outcome.state,
          amountMinor: answer.outcome.amountMinor.toString(),
          currency: answer.outcome.currency,
        }
      : { request: operation.requestId.toString(), reason: answer.faults.join(' ') },
  }
}

function logEntry(
  deps: Pick<OperationDeps, 'clock' | 'describeOperation' | 'statusOf'>,
  operation: StoredOperation,
  requested: RequestedOperation,
  answer: OperationAnswer,
  startedAt: Date,
): RequestLogEntry {
  const { action, parameters } = deps.describeOperation(requested)
  const done = answer.ok ? answer.outcome : null
  return {
    requestId: operation.requestId,
    receivedAt: startedAt,
    merchantId: operation.merchantId,
    siteId: operation.siteId,
    username: operation.portalUser.email,
    address: operation.address,
    action,
    parameters: JSON.stringify(withoutCardNumbers(parameters)),
    httpStatus: deps.statusOf(answer.ok ? null : answer.kind),
    apiCode: '0',
    serviceCode: answer.ok ? (answer.outcome.state === 'approved' ? 100 : 0) : answer.service,
    refField: '',
    state: done === null ? 'DECLINED' : done.state.toUpperCase(),
    orderId: done?.orderId ?? null,
    transactionId: done?.transactionId ?? null,
    tookMs: deps.clock.now().getTime() - startedAt.getTime(),
  }
}

/** An id may be arbitrary input. */
function withoutCardNumbers(
  parameters: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      holdsCardNumber(value, 'inside') ? '[removed]' : value,
    ]),
  )
}
