import { mayDo, type Role } from '@tollgate/portal-contract/rights'
import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { refused, type Result } from '../../../base/refusal.ts'
import type { AuditAct, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import { nameFault } from '../../shell/domain/person-name.ts'
import {
  isIdle,
  PERSON,
  personOf,
  refundLimitOf,
  type PersonRow,
} from '../../shell/store/person-rows.ts'
import { personObject, type RefundLimit } from '../../shell/usecases/person.ts'
import { changeFault, emailFault, roleFault } from '../domain/person-changes.ts'
import type { Doer, NewLink, PeopleAdmin, PersonSummary } from '../usecases/people.ts'
import { forgetSecondFactor } from './account-store.ts'

export interface PeopleAdminDeps {
  readonly pool: pg.Pool
  /** Days without a sign-in after which a person is refused; 0 for never. */
  readonly idleDays: number
  readonly randomToken: () => string
  readonly digest: (token: string) => Buffer
}

type Row = PersonRow & {
  readonly active: boolean
  readonly idle: boolean
  readonly password_hash: string | null
}

const UNKNOWN = refused('missing', 'There is no such person.')
const TAKEN_AWAY = 'Your own role was changed meanwhile, and does not allow it any more.'
const LAST_OWNER = refused(
  'conflict',
  'This is the last owner who is active. Make another owner first.',
)

/**
 * People in the database. An act locks the merchant first, so that what it reads of the doer and of
 * others is true until it is written.
 */
export function createPeopleAdmin(deps: PeopleAdminDeps): PeopleAdmin {
  const { pool, idleDays } = deps

  /**
   * A person of the merchant, or for an operator of any, held; nobody of another merchant is
   * touched.
   */
  async function read(
    client: pg.ClientBase,
    id: bigint,
    merchantId: bigint | null,
  ): Promise<Row | undefined> {
    const { rows } = await client.query<Row>(
      `select ${PERSON}, p.active, ${isIdle(idleDays)} as idle, p.password_hash
         from portal_people p where p.id = $1 and ($2::bigint is null or p.merchant_id = $2) for no key update`,
      [id, merchantId],
    )
    return rows[0]
  }

  /** The doer's role as it is now; null when another one has taken it from them meanwhile. */
  async function roleOf(client: pg.ClientBase, { person }: Doer): Promise<Role | null> {
    if (person === null) return 'owner'
    const row = await read(client, person.id, person.merchantId)
    return row?.active === true && mayDo(row.role, 'people.change') ? row.role : null
  }

  async function change<Done extends object>(
    doer: Doer,
    id: bigint,
    role: Role | undefined,
    work: (
      client: pg.ClientBase,
      row: Row,
    ) => Promise<Result<{ readonly done: Done; readonly entries: readonly Change[] }>>,
  ): Promise<Result<Done>> {
    try {
      return await inTransaction(pool, AUDITED, async (client): Promise<Result<Done>> => {
        await lockMerchant(client, doer, id)
        const actorRole = await roleOf(client, doer)
        const row = await read(client, id, doer.person?.merchantId ?? null)
        if (row === undefined) return UNKNOWN
        const fault =
          actorRole === null
            ? TAKEN_AWAY
            : changeFault({ id: doer.person?.id ?? 0n, role: actorRole }, personOf(row), role)
        if (fault !== null) return refused('forbidden', fault)
        const worked = await work(client, row)
        if (!worked.ok) return worked
        const entries = worked.entries.map(({ act, details }) => entryFor(doer, row, act, details))
        if (entries.length > 0) await appendAudit(client, entries)
        return { ok: true, ...worked.done }
      })
    } catch (error) {
      if ((error as { constraint?: string }).constraint === 'portal_people_keep_an_owner')
        return LAST_OWNER
      throw error
    }
  }

  async function makeLink(
    client: pg.ClientBase,
    doer: Doer,
    personId: bigint,
    kind: 'invitation' | 'reset',
  ): Promise<NewLink> {
    const token = deps.randomToken()
    await client.query(
      'update portal_invitations set ended_at = now() where person_id = $1 and ended_at is null',
      [personId],
    )
    const { rows } = await client.query<{ expires_at: Date }>(
      `insert into portal_invitations (person_id, kind, token_digest, made_by) values ($1, $2, $3, $4)
       returning expires_at`,
      [personId, kind, deps.digest(token), doer.actor],
    )
    const [row] = rows
    if (row === undefined) throw new Error('An invitation was written and is not there.')
    return { token, expiresAt: row.expires_at }
  }

  return {
    list: (merchantId) => listPeople(pool, merchantId, idleDays),

    async invite(doer, merchantId, { email, name, role, refundLimit }) {
      const faults = { email: emailFault(email), name: nameFault(name) }
      if (faults.email !== null) return refused('invalid', faults.email, { field: 'email' })
      if (faults.name !== null) return refused('invalid', faults.name, { field: 'name' })
      return inTransaction<Invited>(pool, AUDITED, async (client) => {
        const { rowCount } = await client.query(
          'select from merchants where id = $1 for no key update',
          [merchantId],
        )
        if (rowCount === 0) return refused('missing', `There is no merchant ${merchantId}.`)
        const actorRole = await roleOf(client, doer)
        const fault = actorRole === null ? TAKEN_AWAY : roleFault(actorRole, role)
        if (fault !== null) return refused('forbidden', fault)
        const { rows } = await client.query<PersonRow>(
          `insert into portal_people as p
             (merchant_id, email, name, role, refund_limit_minor, refund_limit_currency)
           values ($1, $2, $3, $4, $5, $6) on conflict (email) do nothing returning ${PERSON}`,
          [
            merchantId,
            email,
            name,
            role,
            refundLimit?.minor ?? null,
            refundLimit?.currency ?? null,
          ],
        )
        const [row] = rows
        if (row === undefined)
          return refused('conflict', `${email} is in use already and can not be invited.`, {
            field: 'email',
          })
        const id = BigInt(row.id)
        const link = await makeLink(client, doer, id, 'invitation')
        const details = { role, refund_limit: limitText(refundLimit) }
        await appendAudit(client, [entryFor(doer, row, 'person.invited', details)])
        return { ok: true, id, link }
      })
    },

    change: (doer, id, to) =>
      change(doer, id, to.role, async (client, row) => {
        const entries: Change[] = []
        const { role = row.role } = to
        if (role !== row.role) {
          await client.query('update portal_people set role = $2 where id = $1', [id, role])
          entries.push({ act: 'person.role_changed', details: { before: row.role, after: role } })
        }
        const before = limitText(refundLimitOf(row))
        const after = to.refundLimit === undefined ? before : limitText(to.refundLimit)
        if (after !== before) {
          await client.query(
            'update portal_people set refund_limit_minor = $2, refund_limit_currency = $3 where id = $1',
            [id, to.refundLimit?.minor ?? null, to.refundLimit?.currency ?? null],
          )
          entries.push({ act: 'person.refund_limit_changed', details: { before, after } })
        }
        return { ok: true, done: {}, entries }
      }),

    setActive: (doer, id, active) =>
      change(doer, id, undefined, async (client, row) => {
        const state = !row.active ? 'disabled' : row.idle ? 'idle' : 'active'
        if (state === (active ? 'active' : 'disabled')) {
          return refused('conflict', `${row.email} is ${state} already.`)
        }
        await client.query(
          `update portal_people set active = $2, enabled_at = case when $2 then now() else enabled_at end
            where id = $1`,
          [id, active],
        )
        if (!active) await endAll(client, id)
        const act = active ? 'person.enabled' : 'person.disabled'
        return { ok: true, done: {}, entries: [{ act, details: { before: state } }] }
      }),

    reset: (doer, id) =>
      change(doer, id, undefined, async (client, row) => {
        if (!row.active) return refused('conflict', `${row.email} is disabled. Enable them first.`)
        const { rowCount: past } = await client.query(
          'select from portal_past_passwords where person_id = $1 limit 1',
          [id],
        )
        if (row.password_hash !== null) {
          await client.query(
            'insert into portal_past_passwords (person_id, hash) values ($1, $2)',
            [id, row.password_hash],
          )
          await client.query('update portal_people set password_hash = null where id = $1', [id])
        }
        await forgetSecondFactor(client, id)
        await endAll(client, id)
        const isNew = row.password_hash === null && past === 0
        const link = await makeLink(client, doer, id, isNew ? 'invitation' : 'reset')
        const act = isNew ? 'person.invited' : 'person.reset'
        return {
          ok: true,
          done: { link },
          entries: [{ act, details: isNew ? { role: row.role, again: true } : {} }],
        }
      }),

    async findByEmail(email) {
      const { rows } = await pool.query<{ id: string }>(
        'select id from portal_people where email = $1',
        [email.toLowerCase()],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },
  }
}

type Invited = Result<{ readonly id: bigint; readonly link: NewLink }>

interface Change {
  readonly act: AuditAct
  readonly details: AuditEntry['details']
}

function entryFor(
  { actor, address }: Doer,
  row: Pick<PersonRow, 'email' | 'merchant_id'>,
  act: AuditAct,
  details: AuditEntry['details'] = {},
): AuditEntry {
  return {
    actor,
    act,
    object: personObject(row),
    merchantId: BigInt(row.merchant_id),
    address,
    result: 'done',
    details,
  }
}

/** The doer's merchant; an operator's is that of the person. */
async function lockMerchant(
  client: pg.ClientBase,
  { person }: Doer,
  personId: bigint,
): Promise<void> {
  await client.query(
    `select from merchants
      where id = coalesce($1, (select merchant_id from portal_people where id = $2)) for no key update`,
    [person?.merchantId ?? null, personId],
  )
}

async function endAll(client: pg.ClientBase, personId: bigint): Promise<void> {
  await client.query(
    'update portal_sessions set ended_at = now() where person_id = $1 and ended_at is null',
    [personId],
  )
  await client.query(
    'update portal_invitations set ended_at = now() where person_id = $1 and ended_at is null',
    [personId],
  )
}

/** In minor units, as the log keeps it. */
function limitText(limit: RefundLimit | null): string | null {
  return limit === null ? null : `${limit.minor} ${limit.currency}`
}

async function listPeople(
  pool: pg.Pool,
  merchantId: bigint | null,
  idleDays: number,
): Promise<readonly PersonSummary[]> {
  const { rows } = await pool.query<
    Row & { has_second_factor: boolean; last_seen_at: Date | null; link_until: Date | null }
  >(
    `select ${PERSON}, p.active, ${isIdle(idleDays)} as idle, p.password_hash,
            p.second_factor_ciphertext is not null as has_second_factor,
            greatest(p.last_seen_at, (select max(s.last_seen_at) from portal_sessions s
                                       where s.person_id = p.id and s.ended_at is null)) as last_seen_at,
            (select i.expires_at from portal_invitations i
              where i.person_id = p.id and i.ended_at is null and i.expires_at > now()) as link_until
       from portal_people p where $1::bigint is null or p.merchant_id = $1
      order by p.merchant_id, lower(p.name), p.id`,
    [merchantId],
  )
  return rows.map((row) => ({
    ...personOf(row),
    state: !row.active
      ? 'disabled'
      : row.password_hash === null
        ? 'invited'
        : row.idle
          ? 'idle'
          : 'active',
    hasSecondFactor: row.has_second_factor,
    lastSeenAt: row.last_seen_at,
    linkUntil: row.link_until,
  }))
}
