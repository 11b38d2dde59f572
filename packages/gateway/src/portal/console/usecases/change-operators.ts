import type { ConsoleRole } from '@tollgate/portal-contract/console-rights'
import { refused, type Result } from '../../../base/refusal.ts'
import {
  decideOperatorActive,
  decideOperatorInvitation,
  decideOperatorReset,
  decideOperatorRole,
  decideTouchingOperator,
  resetNeedsSecond,
  stateOf,
  type ActingOperator,
  type HeldOperator,
} from '../domain/operator-changes.ts'
import { operatorEntry, type ConsoleRequester } from './console-operator.ts'
import type { LinkDeps, NewLink } from './new-link.ts'
import type { ConsoleTx, OperatorsStore, OperatorSummary } from './operators-store.ts'
import { requestOperation } from './request-operation.ts'

/** `done` is false for a change that waits for a second operator. */
interface Changed {
  readonly done: boolean
  readonly link: NewLink | null
}

/** Changes of operators, by owners at the console and by commands. Each is one transaction. */
export interface OperatorsAdmin {
  list(): Promise<readonly OperatorSummary[]>
  findByEmail(email: string): Promise<bigint | null>
  invite(
    requester: ConsoleRequester,
    wanted: { readonly email: string; readonly name: string; readonly role: ConsoleRole },
  ): Promise<Result<{ readonly link: NewLink }>>
  setRole(requester: ConsoleRequester, id: bigint, role: ConsoleRole): Promise<Result<Changed>>
  setActive(requester: ConsoleRequester, id: bigint, active: boolean): Promise<Result<Changed>>
  /** Removes password and second factor, and gives a link to set new ones. */
  reset(requester: ConsoleRequester, id: bigint): Promise<Result<Changed>>
}

export function createOperatorsAdmin(
  deps: LinkDeps & { readonly store: OperatorsStore },
): OperatorsAdmin {
  const { store } = deps

  function onOperator(
    requester: ConsoleRequester,
    id: bigint,
    work: (tx: ConsoleTx, operator: HeldOperator) => Promise<Result<Changed>>,
  ): Promise<Result<Changed>> {
    return store.transact(async (tx) => {
      const acting = await actingOf(tx, requester)
      const operator = await tx.lockOperator(id)
      const refusal = decideTouchingOperator(acting, operator)
      return operator === null || refusal !== null
        ? (refusal ?? refused('missing', 'This operator does not exist.'))
        : work(tx, operator)
    })
  }

  return {
    list: () => store.list(),
    findByEmail: (email) => store.findByEmail(email.toLowerCase()),

    invite: (requester, wanted) =>
      store.transact(async (tx): Promise<Result<{ readonly link: NewLink }>> => {
        const operator = { ...wanted, email: wanted.email.toLowerCase() }
        const refusal = decideOperatorInvitation(await actingOf(tx, requester), operator)
        if (refusal !== null) return refusal
        const id = await tx.insertOperator(operator)
        if (id === null) {
          const sentence = `${operator.email} is an operator already.`
          return refused('conflict', sentence, { field: 'email' })
        }
        const link = await makeLink(tx, deps, requester, id, 'invitation')
        const details = { role: operator.role }
        await tx.audit([operatorEntry(requester, operator, 'operator.invited', details)])
        return { ok: true, link }
      }),

    setRole: (requester, id, role) =>
      onOperator(requester, id, async (tx, operator) => {
        const refusal = decideOperatorRole(operator, role)
        if (refusal !== null) return refusal
        if (requester.operator !== null) {
          const operation = { does: 'set_role', operatorId: id, role } as const
          const about = { label: operator.email, seen: seenOperator(operator), reason: '' }
          return requestOperation(tx, requester, operation, about)
        }
        await giveRole(tx, requester, operator, role)
        return { ok: true, done: true, link: null }
      }),

    setActive: (requester, id, active) =>
      onOperator(requester, id, async (tx, operator) => {
        const refusal = decideOperatorActive(operator, active)
        if (refusal !== null) return refusal
        await tx.setActive(id, active)
        if (!active) {
          await tx.endSessions(id)
          await tx.endLinks(id)
        }
        const operation = active ? 'operator.enabled' : 'operator.disabled'
        const details = { before: stateOf(operator) }
        await tx.audit([operatorEntry(requester, operator, operation, details)])
        return { ok: true, done: true, link: null }
      }),

    reset: (requester, id) =>
      onOperator(requester, id, async (tx, operator) => {
        const refusal = decideOperatorReset(operator)
        if (refusal !== null) return refusal
        const isNew = await isWithoutPassword(tx, operator)
        if (requester.operator !== null && resetNeedsSecond(operator, isNew)) {
          const operation = { does: 'reset_operator', operatorId: id } as const
          const about = { label: operator.email, seen: seenOperator(operator), reason: '' }
          return requestOperation(tx, requester, operation, about)
        }
        return { ok: true, done: true, link: await resetOperator(tx, deps, requester, operator) }
      }),
  }
}

/** The requester as they are now. */
export async function actingOf(
  tx: ConsoleTx,
  { operator }: Pick<ConsoleRequester, 'operator'>,
): Promise<ActingOperator> {
  if (operator === null) return { id: null, role: 'owner' }
  return { id: operator.id, role: await tx.readRole(operator.id) }
}

/** The facts about an operator on which a request rests. */
export function seenOperator({ role, active }: HeldOperator): string {
  return `${role}, ${active ? 'active' : 'disabled'}`
}

/** Gives an operator another role, with its entry. */
export async function giveRole(
  tx: ConsoleTx,
  requester: ConsoleRequester,
  operator: HeldOperator,
  role: ConsoleRole,
): Promise<void> {
  await tx.setRole(operator.id, role)
  const details = { before: operator.role, after: role }
  await tx.audit([operatorEntry(requester, operator, 'operator.role_changed', details)])
}

/** Removes password, second factor and sessions, and makes a link, with the entry. */
export async function resetOperator(
  tx: ConsoleTx,
  deps: LinkDeps,
  requester: ConsoleRequester,
  operator: HeldOperator,
): Promise<NewLink> {
  const { id, passwordHash, role } = operator
  const isNew = await isWithoutPassword(tx, operator)
  if (passwordHash !== null) await tx.retirePassword(id, passwordHash)
  await tx.forgetSecondFactor(id)
  await tx.endSessions(id)
  const link = await makeLink(tx, deps, requester, id, isNew ? 'invitation' : 'reset')
  const entry = isNew
    ? operatorEntry(requester, operator, 'operator.invited', { role, again: true })
    : operatorEntry(requester, operator, 'operator.reset', {})
  await tx.audit([entry])
  return link
}

async function isWithoutPassword(
  tx: ConsoleTx,
  { id, passwordHash }: HeldOperator,
): Promise<boolean> {
  return passwordHash === null && !(await tx.hasPastPasswords(id))
}

/** Ends the links of the operator, and makes one. */
async function makeLink(
  tx: ConsoleTx,
  { randomToken, digest }: LinkDeps,
  { actor }: ConsoleRequester,
  id: bigint,
  kind: 'invitation' | 'reset',
): Promise<NewLink> {
  const token = randomToken()
  await tx.endLinks(id)
  return { opens: 'console', token, expiresAt: await tx.insertLink(id, kind, digest(token), actor) }
}
