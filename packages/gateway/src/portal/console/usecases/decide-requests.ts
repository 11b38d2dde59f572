import { refused, type Result } from '../../../base/refusal.ts'
import { demandsText } from '../../../domain/merchants/account-demands.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import {
  countriesText,
  decideRequestApproval,
  decideRequestRefusal,
  decideRequestWithdrawal,
  seenChanged,
  seenLimits,
  type OperatorRequest,
  type RequestDecider,
  type RequestRefused,
} from '../domain/operator-request.ts'
import { giveRole, resetOperator, seenOperator } from './change-operators.ts'
import { requesterOf, type ConsoleRequester, type ConsoleSession } from './console-operator.ts'
import { merchantUseCases } from './operate-merchants.ts'
import type {
  ConsoleTx,
  LinkDeps,
  NewLink,
  OperatorRequestView,
  OperatorsStore,
} from './operators-store.ts'
import { seenKey } from './request-key-operations.ts'

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
        const performed = await perform(tx, deps, request, requester)
        if (!performed.ok) return end(tx, request, { refusal: performed, ends: 'void' })
        await tx.endRequest(id, 'approved', by)
        await tx.audit([entryOf(from, request, 'operator.change_approved')])
        return performed
      }),

    refuse: (from, id) => close(from, id, 'refused', decideRequestRefusal),
    withdraw: (from, id) => close(from, id, 'withdrawn', decideRequestWithdrawal),
  }
}

/** Does what was approved, unless its subject has changed. */
async function perform(
  tx: ConsoleTx,
  deps: LinkDeps,
  { operation, seen }: OperatorRequest,
  requester: ConsoleRequester,
): Promise<Result<{ readonly link: NewLink | null }>> {
  const { merchants, limits, demands } = merchantUseCases(tx)
  if (operation.does === 'disable_merchant') {
    const done = await merchants.disable(operation.merchantId, operation.reason, requester)
    return done.ok ? { ok: true, link: null } : done
  }
  if (operation.does === 'raise_limit') {
    const { accountId, currency, paymentMinor, dayMinor } = operation
    const account = await tx.limits.lockLimits(accountId)
    if (seenLimits(account?.limits.amounts.get(currency)) !== seen) return seenChanged()
    const limit = { paymentMinor, dayMinor }
    const done = await limits.setAmounts(accountId, currency, limit, requester)
    return done.ok ? { ok: true, link: null } : done
  }
  if (operation.does === 'open_countries') {
    const { accountId, countries } = operation
    const account = await tx.limits.lockLimits(accountId)
    if (account === null || countriesText(account.limits.countries) !== seen) return seenChanged()
    const done = await limits.setCountries(accountId, countries, requester)
    return done.ok ? { ok: true, link: null } : done
  }
  if (operation.does === 'relax_demands') {
    const { accountId, demands: wanted } = operation
    const account = await tx.demands.lockDemands(accountId)
    if (account === null || demandsText(account.demands) !== seen) return seenChanged()
    const done = await demands(accountId, wanted, requester)
    return done.ok ? { ok: true, link: null } : done
  }
  if (
    operation.does === 'destroy_key' ||
    operation.does === 'replace_kek' ||
    operation.does === 'export_vault'
  ) {
    // A command does it, on a node that has the key-encrypting key.
    return (await seenKey(tx, operation)) === seen ? { ok: true, link: null } : seenChanged()
  }
  const operator = await tx.lockOperator(operation.operatorId)
  if (operator === null || seenOperator(operator) !== seen) return seenChanged()
  if (operation.does === 'reset_operator') {
    return { ok: true, link: await resetOperator(tx, deps, requester, operator) }
  }
  await giveRole(tx, requester, operator, operation.role)
  return { ok: true, link: null }
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
