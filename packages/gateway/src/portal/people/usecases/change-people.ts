import type { Role } from '@tollgate/portal-contract/rights'
import { refused, type Result } from '../../../base/refusal.ts'
import type { AuditOperation, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { AuditedTx, Transact } from '../../../usecases/audit/audited-transaction.ts'
import { personObject, type PortalPerson, type RefundLimit } from '../../shell/usecases/person.ts'
import {
  addressInUse,
  decideInvitation,
  decideLastOwner,
  decidePersonActive,
  decideReset,
  decideTouching,
  heldState,
} from '../domain/person-decisions.ts'
import type { Doer, NewLink, NewPerson, PeopleAdmin, PersonSummary } from './people.ts'

/** A person who is held until the commit. */
export interface LockedPerson extends PortalPerson {
  readonly active: boolean
  readonly idle: boolean
  readonly passwordHash: string | null
}

/** Locks, reads and writes of a change of users, in one transaction. */
export interface PeopleTx extends AuditedTx {
  /** Holds the merchant, so that those who change its people come one after the other. */
  lockMerchant(merchantId: bigint): Promise<boolean>
  /** Holds the person's merchant. */
  lockMerchantOf(personId: bigint): Promise<void>
  /** Null if there is no such user, or one of another merchant than `merchantId`; null is any. */
  lockPerson(id: bigint, merchantId: bigint | null): Promise<LockedPerson | null>
  /** Owners of the merchant who are active, but for this person. */
  countOtherOwners(person: LockedPerson): Promise<number>
  /** Null where the address is in use. */
  insertPerson(merchantId: bigint, person: NewPerson): Promise<bigint | null>
  setRole(id: bigint, role: Role): Promise<void>
  setRefundLimit(id: bigint, limit: RefundLimit | null): Promise<void>
  setActive(id: bigint, active: boolean): Promise<void>
  hasPastPasswords(id: bigint): Promise<boolean>
  /** Keeps the hash among those that may not be used again, and takes it from the person. */
  retirePassword(id: bigint, hash: string): Promise<void>
  forgetSecondFactor(id: bigint): Promise<void>
  endSessions(id: bigint): Promise<void>
  endLinks(id: bigint): Promise<void>
  insertLink(
    personId: bigint,
    kind: 'invitation' | 'reset',
    digest: Buffer,
    madeBy: string,
  ): Promise<Date>
}

export interface PeopleRecords {
  readonly transact: Transact<PeopleTx>
  /** `merchantId` null for all. By merchant and name. */
  list(merchantId: bigint | null): Promise<readonly PersonSummary[]>
  findByEmail(email: string): Promise<bigint | null>
}

export interface PeopleDeps {
  readonly store: PeopleRecords
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
}

/** People of the portal, changed by owners, admins and operators under the lock of a merchant. */
export function createPeopleAdmin(deps: PeopleDeps): PeopleAdmin {
  const { store } = deps

  /** The doer's role as it is now. An operator may do what an owner may. */
  async function roleOf(tx: PeopleTx, { person }: Doer): Promise<Role | null> {
    if (person === null) return 'owner'
    const held = await tx.lockPerson(person.id, person.merchantId)
    return held?.active === true ? held.role : null
  }

  function onPerson<Done>(
    doer: Doer,
    id: bigint,
    role: Role | null,
    work: (tx: PeopleTx, person: LockedPerson) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    return store.transact(async (tx) => {
      if (doer.person === null) await tx.lockMerchantOf(id)
      else await tx.lockMerchant(doer.person.merchantId)
      const acting = { id: doer.person?.id ?? 0n, role: await roleOf(tx, doer) }
      const person = await tx.lockPerson(id, doer.person?.merchantId ?? null)
      const refusal = decideTouching(acting, person, role)
      if (refusal !== null) return refusal
      if (person === null) return refused('missing', 'This portal user does not exist.')
      return work(tx, person)
    })
  }

  async function makeLink(
    tx: PeopleTx,
    { actor }: Doer,
    personId: bigint,
    kind: 'invitation' | 'reset',
  ): Promise<NewLink> {
    const token = deps.randomToken()
    await tx.endLinks(personId)
    return { token, expiresAt: await tx.insertLink(personId, kind, deps.digest(token), actor) }
  }

  return {
    list: (merchantId) => store.list(merchantId),
    findByEmail: (email) => store.findByEmail(email),

    invite: (doer, merchantId, wanted) =>
      store.transact(
        async (tx): Promise<Result<{ readonly id: bigint; readonly link: NewLink }>> => {
          if (!(await tx.lockMerchant(merchantId))) {
            return refused('missing', `Merchant ${merchantId} does not exist.`)
          }
          const refusal = decideInvitation(await roleOf(tx, doer), wanted)
          if (refusal !== null) return refusal
          const { email, role, refundLimit } = wanted
          const id = await tx.insertPerson(merchantId, wanted)
          if (id === null) return addressInUse(email)
          const link = await makeLink(tx, doer, id, 'invitation')
          const details = { role, refund_limit: limitText(refundLimit) }
          await tx.audit([entryFor(doer, { email, merchantId }, 'person.invited', details)])
          return { ok: true, id, link }
        },
      ),

    change: (doer, id, to) =>
      onPerson(doer, id, to.role ?? null, async (tx, person) => {
        const entries: AuditEntry[] = []
        const { role = person.role } = to
        const becomes = { role, active: person.active }
        const refusal = decideLastOwner(person, becomes, await tx.countOtherOwners(person))
        if (refusal !== null) return refusal
        if (role !== person.role) {
          await tx.setRole(id, role)
          const details = { before: person.role, after: role }
          entries.push(entryFor(doer, person, 'person.role_changed', details))
        }
        const before = limitText(person.refundLimit)
        const after = to.refundLimit === undefined ? before : limitText(to.refundLimit)
        if (after !== before) {
          await tx.setRefundLimit(id, to.refundLimit ?? null)
          entries.push(entryFor(doer, person, 'person.refund_limit_changed', { before, after }))
        }
        if (entries.length > 0) await tx.audit(entries)
        return { ok: true }
      }),

    setActive: (doer, id, active) =>
      onPerson(doer, id, null, async (tx, person) => {
        const refusal =
          decidePersonActive(person, active) ??
          decideLastOwner(person, { role: person.role, active }, await tx.countOtherOwners(person))
        if (refusal !== null) return refusal
        await tx.setActive(id, active)
        if (!active) {
          await tx.endSessions(id)
          await tx.endLinks(id)
        }
        const operation = active ? 'person.enabled' : 'person.disabled'
        await tx.audit([entryFor(doer, person, operation, { before: heldState(person) })])
        return { ok: true }
      }),

    reset: (doer, id) =>
      onPerson(doer, id, null, async (tx, person): Promise<Result<{ readonly link: NewLink }>> => {
        const refusal = decideReset(person)
        if (refusal !== null) return refusal
        const { passwordHash, role } = person
        const isNew = passwordHash === null && !(await tx.hasPastPasswords(id))
        if (passwordHash !== null) await tx.retirePassword(id, passwordHash)
        await tx.forgetSecondFactor(id)
        await tx.endSessions(id)
        const link = await makeLink(tx, doer, id, isNew ? 'invitation' : 'reset')
        const entry = isNew
          ? entryFor(doer, person, 'person.invited', { role, again: true })
          : entryFor(doer, person, 'person.reset', {})
        await tx.audit([entry])
        return { ok: true, link }
      }),
  }
}

function entryFor(
  { actor, address }: Doer,
  person: Pick<PortalPerson, 'email' | 'merchantId'>,
  operation: AuditOperation,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  const { merchantId } = person
  return {
    actor,
    operation,
    object: personObject(person),
    merchantId,
    address,
    result: 'done',
    details,
  }
}

/** In minor units, as the log keeps it. */
function limitText(limit: RefundLimit | null): string | null {
  return limit === null ? null : `${limit.minor} ${limit.currency}`
}
