import { ROLES, type Role } from '@tollgate/portal-contract/rights'
import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { refused, type Result } from '../base/refusal.ts'
import { createPeopleRecords } from '../portal/people/store/people-records.ts'
import { createPeopleAdmin } from '../portal/people/usecases/change-people.ts'
import type { Doer, NewLink, PersonSummary } from '../portal/people/usecases/people.ts'
import { operatorActor } from './operator-actor.ts'

/** A single-use link for a portal user, as it is handed over. */
export interface PersonLink {
  readonly address: string
  readonly expiresAt: Date
}

/** An operator's operations on the users of the portal. */
export interface PeopleOperator {
  list(): Promise<readonly PersonSummary[]>
  add(merchantId: number, email: string, role: string, name: string): Promise<Result<PersonLink>>
  reset(email: string): Promise<Result<PersonLink>>
  setActive(email: string, active: boolean): Promise<Result<object>>
}

/** `publicUrl`: where people's browsers reach the portal. */
export function createPeopleOperator(
  pool: pg.Pool,
  publicUrl: string,
  idleDays: number,
): PeopleOperator {
  const people = createPeopleAdmin({
    store: createPeopleRecords(pool, idleDays),
    randomToken: () => randomBytes(32).toString('base64url'),
    digest: (token) => createHash('sha256').update(token).digest(),
  })
  const doer: Doer = { actor: operatorActor(), address: '', person: null }
  const linkOf = ({ token, expiresAt }: NewLink): PersonLink => ({
    address: `${publicUrl}/portal/invitation#${token}`,
    expiresAt,
  })

  async function ofPerson<Done extends object>(
    email: string,
    work: (id: bigint) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    const id = await people.findByEmail(email)
    if (id === null)
      return refused(
        'missing',
        `There is no such person in the portal; "tollgate people" lists them.`,
      )
    return work(id)
  }

  return {
    list: () => people.list(null),
    async add(merchantId, email, role, name) {
      if (!(role in ROLES)) {
        return refused(
          'invalid',
          `There is no such role. There are: ${Object.keys(ROLES).join(', ')}.`,
        )
      }
      const person = { email: email.toLowerCase(), name, role: role as Role, refundLimit: null }
      const added = await people.invite(doer, BigInt(merchantId), person)
      return added.ok ? { ok: true, ...linkOf(added.link) } : added
    },
    async reset(email) {
      const reset = await ofPerson(email, (id) => people.reset(doer, id))
      return reset.ok ? { ok: true, ...linkOf(reset.link) } : reset
    },
    setActive: (email, active) => ofPerson(email, (id) => people.setActive(doer, id, active)),
  }
}
