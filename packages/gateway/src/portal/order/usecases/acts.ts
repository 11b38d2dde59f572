import { holdsCardNumber } from '../../../base/card-number-text.ts'
import type { Clock } from '../../../base/clock.ts'
import type { RefusalKind } from '../../../base/refusal.ts'
import { formatMinor } from '../../../domain/money.ts'
import type { AuditAct, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { RequestLogEntry } from '../../../usecases/audit/request-log.ts'
import type { DescribeAct, RequestedAct } from '../../../usecases/audit/requested-act.ts'
import type {
  TransactionKind,
  TransactionView,
} from '../../../usecases/payments/transaction-view.ts'
import { personActor, type PortalPerson } from '../../shell/usecases/person.ts'
import { explainRefusal } from '../../words/decline-reasons.ts'
import {
  INTERRUPTED,
  KEY_REUSED,
  STILL_RUNNING,
  type ActAnswer,
  type ActOutcome,
  type ActRefusal,
} from './act-answer.ts'

export type ActKind =
  | 'capture'
  | 'void'
  | 'capture_void'
  | 'refund'
  | 'authorize'
  | 'sale'
  | 'charge'

/** A user's request, stored before any of it happens. */
export interface NewAct {
  readonly person: PortalPerson
  readonly address: string
  readonly siteId: bigint
  readonly key: string
  readonly act: ActKind
  /** Of a new payment the order that it becomes, whose id is given before. */
  readonly orderId: bigint
  readonly sourceOrderId: bigint | null
  /** Of a new payment, given before. */
  readonly transactionId: bigint | null
  /** The content of the request: the same key must not come with anything else. */
  readonly content: unknown
}

export interface StoredAct {
  readonly id: bigint
  readonly merchantId: bigint
  readonly act: ActKind
  readonly orderId: bigint
  readonly siteId: bigint
  readonly requestId: bigint
  readonly transactionId: bigint | null
  readonly state: 'begun' | 'done' | 'refused' | 'interrupted'
  readonly digest: string
  /** The time since its start, by the database's clock. */
  readonly ageMs: number
  readonly result: ActAnswer | null
  readonly person: { readonly email: string }
  readonly address: string
}

export interface ActStore {
  /** Stores the operation, or returns the one that has the key already. */
  begin(
    act: Omit<NewAct, 'content'>,
    requestId: bigint,
    digest: string,
  ): Promise<{ readonly isNew: boolean; readonly act: StoredAct }>
  find(id: bigint): Promise<StoredAct>
  /**
   * Ends an operation with its audit entry, in one write. An operation that ended meanwhile stays
   * as it is, except for an interruption that proves wrong. Returns the answer that counts.
   */
  end(id: bigint, answer: ActAnswer, entry: AuditEntry): Promise<ActAnswer>
  /** From now on it cannot happen, if it has not: the holder of the order's lock checks. */
  interrupt(id: bigint, answer: ActAnswer, entry: AuditEntry): Promise<void>
  /** Waits until no one who began before holds the order. */
  waitForLock(orderId: bigint): Promise<void>
  isBegun(id: bigint): Promise<boolean>
  /** The transaction that the request became; null for none. */
  findOutcome(
    act: Pick<StoredAct, 'orderId' | 'requestId' | 'transactionId'>,
  ): Promise<bigint | null>
  /** Operations that no process works on any more. */
  findForgotten(olderThanMs: number): Promise<readonly StoredAct[]>
}

export interface ActDeps {
  readonly acts: ActStore
  readonly clock: Clock
  readonly nextRequestId: () => bigint | Promise<bigint>
  readonly findTransaction: (transactionId: bigint) => Promise<TransactionView | null>
  readonly logRequest: (entry: RequestLogEntry) => void
  readonly describeAct: DescribeAct
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

export interface Acts {
  /** Does it once: a repeat of the key gets the first result, also while that runs. */
  once(
    act: NewAct,
    asked: RequestedAct,
    perform: (act: StoredAct) => Promise<TransactionView | ActRefusal>,
  ): Promise<ActAnswer>
  /** Ends what a gateway that died has left. Of use to every process, as often as it likes. */
  recoverForgotten(): Promise<void>
}

/** Users' operations on orders, each done once for its key, even if the process crashes. */
export function createActs(deps: ActDeps): Acts {
  const { acts } = deps
  const running = new Map<bigint, Promise<ActAnswer>>()

  async function finish(
    act: StoredAct,
    outcome: TransactionView | ActRefusal,
    asked: RequestedAct | null,
    startedAt: Date,
  ): Promise<ActAnswer> {
    const answer: ActAnswer = 'ok' in outcome ? outcome : { ok: true, outcome: outcomeOf(outcome) }
    const told = await acts.end(act.id, answer, auditEntry(act, answer))
    if (asked !== null) deps.logRequest(logEntry(deps, act, asked, answer, startedAt))
    return told
  }

  /** The result of an operation whose process may be gone. */
  async function recover(act: StoredAct): Promise<ActAnswer | null> {
    let transactionId = await acts.findOutcome(act)
    if (transactionId === null) {
      // First the mark, then the lock: who holds the lock now is waited for, who comes later sees
      // the mark.
      await acts.interrupt(act.id, INTERRUPTED, auditEntry(act, INTERRUPTED))
      await acts.waitForLock(act.orderId)
      transactionId = await acts.findOutcome(act)
      if (transactionId === null) return INTERRUPTED
    }
    const transaction = await deps.findTransaction(transactionId)
    // The resolver of payments ends it; until then the result is unknown.
    if (transaction === null || transaction.state === 'running') return null
    return finish(act, transaction, null, deps.clock.now())
  }

  async function answerKnown(first: StoredAct): Promise<ActAnswer> {
    let act = first
    for (let waited = 0; waited < WAIT_MS; waited += LOOK_EVERY_MS) {
      if (act.state !== 'begun' && act.result !== null) return act.result
      const here = running.get(act.id)
      if (here !== undefined) return here
      if (act.ageMs > FORGOTTEN_MS) {
        const answer = await recover(act)
        if (answer !== null) return answer
      }
      await deps.pause(LOOK_EVERY_MS)
      act = await acts.find(act.id)
    }
    return STILL_RUNNING
  }

  return {
    async once(newAct, asked, perform) {
      const startedAt = deps.clock.now()
      const { content, ...rest } = newAct
      const digest = deps.digest(
        JSON.stringify(content, (_, part: unknown) =>
          typeof part === 'bigint' ? part.toString() : part,
        ),
      )
      const { isNew, act } = await acts.begin(rest, await deps.nextRequestId(), digest)
      if (!isNew) return act.digest === digest ? answerKnown(act) : KEY_REUSED
      const work = perform(act).then((outcome) => finish(act, outcome, asked, startedAt))
      running.set(act.id, work)
      try {
        return await work
      } finally {
        running.delete(act.id)
      }
    },
    async recoverForgotten() {
      for (const act of await acts.findForgotten(FORGOTTEN_MS)) await recover(act)
    },
  }
}

const DONE: Readonly<Record<TransactionKind, string>> = {
  capture: 'captured',
  refund: 'refunded',
  void: 'voided',
  capture_void: 'voided',
  authorize: 'authorized',
  sale: 'charged',
}

function outcomeOf(view: TransactionView): ActOutcome {
  const amountMinor = view.valueMinor < 0n ? -view.valueMinor : view.valueMinor
  const amount = `${formatMinor(amountMinor, view.currency)} ${view.currency.code}`
  const isApproved = view.state === 'approved'
  const isCheck = view.kind === 'authorize' && amountMinor === 0n
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

const AUDITED: Readonly<Record<ActKind, AuditAct>> = {
  capture: 'order.captured',
  void: 'order.voided',
  capture_void: 'order.voided',
  refund: 'order.credited',
  authorize: 'card.charged',
  sale: 'card.charged',
  charge: 'card.charged',
}

function auditEntry(act: StoredAct, answer: ActAnswer): AuditEntry {
  return {
    actor: personActor(act.person),
    act: AUDITED[act.act],
    object: `order ${act.orderId}`,
    merchantId: act.merchantId,
    address: act.address,
    result: !answer.ok ? 'refused' : answer.outcome.state === 'approved' ? 'done' : 'failed',
    details: answer.ok
      ? {
          request: act.requestId.toString(),
          transaction: answer.outcome.transactionId.toString(),
          did: answer.outcome.did,
          state: answer.outcome.state,
          amountMinor: answer.outcome.amountMinor.toString(),
          currency: answer.outcome.currency,
        }
      : { request: act.requestId.toString(), reason: answer.faults.join(' ') },
  }
}

function logEntry(
  deps: Pick<ActDeps, 'clock' | 'describeAct' | 'statusOf'>,
  act: StoredAct,
  asked: RequestedAct,
  answer: ActAnswer,
  startedAt: Date,
): RequestLogEntry {
  const { action, parameters } = deps.describeAct(asked)
  const done = answer.ok ? answer.outcome : null
  return {
    requestId: act.requestId,
    receivedAt: startedAt,
    merchantId: act.merchantId,
    siteId: act.siteId,
    username: act.person.email,
    address: act.address,
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
