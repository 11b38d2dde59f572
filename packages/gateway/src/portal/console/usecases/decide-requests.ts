import { refused, type Result } from '../../../base/refusal.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import {
  decideRequestApproval,
  decideRequestRefusal,
  decideRequestWithdrawal,
  type OperatorRequest,
  type RequestDecider,
  type RequestRefused,
} from '../domain/operator-request.ts'
import { requesterOf, type ConsoleSession } from './console-operator.ts'
import type { LinkDeps, NewLink } from './new-link.ts'
import type { ConsoleTx, OperatorRequestView, OperatorsStore } from './operators-store.ts'
import { performOperation } from './perform-operation.ts'

/** The origin of a decision. */
export interface Deciding {
  readonly session: ConsoleSession
  readonly address: string
}

/** Decisions of a second operator. The decision and the operation are one transaction. */
export interface DecideRequests {
  list(): Promise<readonly OperatorRequestView[]>
  /** The link of a reset goes to the operator who approves it. */
  approve(from: Deciding, id: bigint): Promise<Result<{ readonly link: NewLink | null }>>
  refuse(from: Deciding, id: bigint): Promise<Result>
  withdraw(from: Deciding, id: bigint): Promise<Result>
}

export function createDecideRequests(
  deps: LinkDeps & { readonly store: OperatorsStore },
): DecideRequests {
  const { store } = deps

  /** Holds the request while `work` decides and writes. */
  function onRequest<Done extends object>(
    { session }: Deciding,
    id: bigint,
    work: (tx: ConsoleTx, request: OperatorRequest, by: RequestDecider) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    return store.transact(async (tx) => {
      const request = await tx.lockRequest(id)
      if (request === null) return refused('missing', 'This request does not exist.')
      const { operator } = session
      const role = await tx.readRole(operator.id)
      return work(tx, request, { id: operator.id, sessionId: session.id, role })
    })
  }

  function close(
    from: Deciding,
    id: bigint,
    state: 'refused' | 'withdrawn',
    decide: (request: OperatorRequest, by: RequestDecider) => RequestRefused | null,
  ): Promise<Result> {
    return onRequest(from, id, async (tx, request, by) => {
      const fault = decide(request, by)
      if (fault !== null) return end(tx, request, fault)
      await tx.endRequest(id, state, by)
      await tx.audit([entryOf(from, request, `operator.change_${state}`)])
      return { ok: true }
    })
  }

  return {
    list: () => store.listRequests(),

    approve: (from, id) =>
      onRequest(from, id, async (tx, request, by) => {
        const fault = decideRequestApproval(request, by, {
          requesterRole: await tx.readRole(request.requestedBy),
          hasFreshLink: await tx.hasFreshLink(by.id),
        })
        if (fault !== null) return end(tx, request, fault)
        const requester = requesterOf(from.session, from.address)
        const performed = await performOperation(tx, deps, request, requester)
        if (!performed.ok) return end(tx, request, { refusal: performed, ends: 'void' })
        await tx.endRequest(id, 'approved', by)
        await tx.audit([entryOf(from, request, 'operator.change_approved')])
        return performed
      }),

    refuse: (from, id) => close(from, id, 'refused', decideRequestRefusal),
    withdraw: (from, id) => close(from, id, 'withdrawn', decideRequestWithdrawal),
  }
}

/** Ends requests whose 24 hours are over, so that their keys are erased by then. */
export function createExpireRequests({
  transact,
}: Pick<OperatorsStore, 'transact'>): () => Promise<boolean> {
  return () =>
    transact(async (tx) => {
      await tx.expireRequests()
      return false
    })
}

async function end(tx: ConsoleTx, { id }: OperatorRequest, fault: RequestRefused) {
  if (fault.ends !== null) await tx.endRequest(id, fault.ends, null)
  return fault.refusal
}

function entryOf(
  { session, address }: Deciding,
  { id, operation, subject }: OperatorRequest,
  name: AuditEntry['operation'],
): AuditEntry {
  const { actor } = requesterOf(session, address)
  const details = { request: id.toString(), does: operation.does }
  return { actor, operation: name, object: subject, address, result: 'done', details }
}
