import type pg from 'pg'
import { changedMeanwhile, refused, type Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import { nameWithoutCards } from '../../../domain/logins/caller-name.ts'
import type { AuditAct, AuditAuthor, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type {
  ApiUserAdmin,
  ApiUserSummary,
  MadePassword,
} from '../../../usecases/logins/api-users.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'
import { IS_IDLE } from '../merchants/directory.ts'
import { readNetworks } from './networks.ts'

/** A password is none of the last so many of its user. */
const REMEMBERED = 4

export interface ApiUserAdminDeps {
  readonly pool: pg.Pool
  readonly by: AuditAuthor
  /** 0 for never. */
  readonly idleDays: number
  readonly generatePassword: () => Secret
  readonly passwordFaults: (password: Secret, username: string) => string[]
  readonly hashPassword: (password: Secret, alongside?: string) => Promise<string>
  readonly matchPassword: (password: Secret, hashes: readonly string[]) => Promise<number>
}

interface UserRow {
  readonly id: string
  readonly merchant_id: string
  readonly username: string
  readonly active: boolean
  readonly idle: boolean
  readonly allowed_from: string[]
}

interface PasswordRow {
  readonly number: number
  readonly place: number
  readonly hash: string
  readonly retired: boolean
}

/** API users in the database; each act locks the user, and is audited in its transaction. */
export function createApiUserAdmin(deps: ApiUserAdminDeps): ApiUserAdmin {
  const { pool, by, idleDays } = deps

  async function findUser(client: pg.ClientBase, name: string): Promise<UserRow | undefined> {
    const { rows } = await client.query<UserRow>(
      `select u.id, u.merchant_id, u.username, u.active, ${IS_IDLE('$2::integer')} as idle,
              u.allowed_from::text[] as allowed_from
         from api_users u where u.username = $1 for no key update`,
      [name, idleDays],
    )
    return rows[0]
  }

  /** Locks the user, does the work and writes the entry that it gives. */
  function change<Done extends object>(
    name: string,
    work: (
      client: pg.ClientBase,
      user: UserRow,
    ) => Promise<
      Result<{
        readonly done: Done
        readonly act: AuditAct
        readonly details: AuditEntry['details']
      }>
    >,
  ): Promise<Result<Done>> {
    return inTransaction(pool, AUDITED, async (client): Promise<Result<Done>> => {
      const user = await findUser(client, name)
      if (user === undefined) return refused('missing', await unknownUser(client, name))
      const worked = await work(client, user)
      if (!worked.ok) return worked
      await appendAudit(client, [entryFor(user, worked.act, worked.details)])
      return { ok: true, ...worked.done }
    })
  }

  function entryFor(
    user: Pick<UserRow, 'username' | 'merchant_id'>,
    act: AuditAct,
    details: AuditEntry['details'] = {},
  ): AuditEntry {
    const object = `api user ${user.username}`
    return { ...by, act, object, merchantId: BigInt(user.merchant_id), result: 'done', details }
  }

  async function makePassword(
    client: pg.ClientBase,
    user: Pick<UserRow, 'id' | 'username'>,
    given: Secret | null,
  ): Promise<Result<MadePassword>> {
    const { rows } = await client.query<PasswordRow>(
      `select number, place, hash, retired_at is not null as retired
         from api_user_passwords where user_id = $1 order by number desc`,
      [user.id],
    )
    const live = rows.filter((row) => !row.retired)
    if (live.length > 1) {
      const numbers = live.map(({ number }) => number).toReversed()
      const fault =
        `${user.username} has two live passwords already, numbers ${numbers.join(' and ')}. Retire ` +
        `one first: tollgate users password ${user.username} retire ${numbers[0] ?? ''}`
      return refused('conflict', fault)
    }
    const faults = given === null ? [] : await faultsOf(given, user.username, rows)
    if (faults.length > 0) return refused('invalid', faults)
    const password = given ?? deps.generatePassword()
    const number = (rows[0]?.number ?? 0) + 1
    await client.query(
      `insert into api_user_passwords (user_id, number, place, hash, made_by)
       values ($1, $2, $3, $4, $5)`,
      [
        user.id,
        number,
        live[0]?.place === 1 ? 2 : 1,
        await deps.hashPassword(password, live[0]?.hash),
        by.actor,
      ],
    )
    return { ok: true, number, generated: given === null ? password : null }
  }

  async function faultsOf(given: Secret, name: string, passwords: readonly PasswordRow[]) {
    const faults = deps.passwordFaults(given, name)
    if (faults.length > 0) return faults
    const last = passwords.slice(0, REMEMBERED).map(({ hash }) => hash)
    const isUsed = last.length > 0 && (await deps.matchPassword(given, last)) !== -1
    return isUsed
      ? [`The password is one of the last ${REMEMBERED} of ${name}. Choose another one.`]
      : []
  }

  function setActive(name: string, active: boolean): Promise<Result<object>> {
    return change(name, async (client, user) => {
      const state = user.active ? (user.idle ? 'idle' : 'enabled') : 'disabled'
      if (state === (active ? 'enabled' : 'disabled')) {
        return refused('conflict', `${user.username} is ${state} already.`)
      }
      await client.query(
        `update api_users set active = $2, enabled_at = case when $2 then now() else enabled_at end
          where id = $1`,
        [user.id, active],
      )
      const act = active ? 'user.enabled' : 'user.disabled'
      return { ok: true, done: {}, act, details: { before: state } }
    })
  }

  return {
    list: (merchantId) => listUsers(pool, idleDays, merchantId),

    add(merchantId, name, given) {
      return inTransaction(pool, AUDITED, async (client): Promise<Result<MadePassword>> => {
        const faults = [...nameFaults(name), ...(await merchantFaults(client, merchantId))]
        if (faults.length > 0) return refused('invalid', faults)
        const { rows } = await client.query<{ id: string }>(
          `insert into api_users (merchant_id, username, made_by) values ($1, $2, $3)
           on conflict (username) do nothing returning id`,
          [merchantId, name, by.actor],
        )
        const [row] = rows
        if (row === undefined) {
          return refused('conflict', `There is an API user ${name} already. Names are used once.`, {
            field: 'name',
          })
        }
        const made = await makePassword(client, { id: row.id, username: name }, given)
        if (!made.ok) return made
        const user = { username: name, merchant_id: String(merchantId) }
        await appendAudit(client, [
          entryFor(user, 'user.made'),
          entryFor(user, 'user.password_made', { password: made.number }),
        ])
        return made
      })
    },

    addPassword(name, given) {
      return change(name, async (client, user) => {
        const made = await makePassword(client, user, given)
        if (!made.ok) return made
        const { number, generated } = made
        const details = { password: number, generated: generated !== null }
        return { ok: true, done: { number, generated }, act: 'user.password_made', details }
      })
    },

    retirePassword(name, number) {
      return change(name, async (client, user) => {
        const { rowCount } = await client.query(
          `update api_user_passwords set retired_at = now(), retired_by = $3
            where user_id = $1 and number = $2::bigint and retired_at is null`,
          [user.id, number, by.actor],
        )
        const live = await liveNumbers(client, user.id)
        if (rowCount === 0) {
          const has = live.length === 0 ? 'no live password' : `live passwords: ${live.join(', ')}`
          return refused('conflict', `${name} has no live password ${number}; it has ${has}.`)
        }
        const act = 'user.password_retired'
        return { ok: true, done: { live }, act, details: { password: number } }
      })
    },

    async allowFrom(name, wanted, seen = null) {
      const read = await readNetworks(pool, wanted)
      if (!read.ok) return read
      const { networks } = read
      return change(
        name,
        async (
          client,
          user,
        ): Promise<
          Result<{ done: { networks: string[] }; act: AuditAct; details: AuditEntry['details'] }>
        > => {
          if (seen !== null && seen.join() !== user.allowed_from.join()) {
            return changedMeanwhile(
              `The networks of ${name} were changed by somebody else meanwhile.`,
            )
          }
          await client.query('update api_users set allowed_from = $2::cidr[] where id = $1', [
            user.id,
            networks,
          ])
          const details = { before: user.allowed_from, after: networks }
          return { ok: true, done: { networks }, act: 'user.allowed_from', details }
        },
      )
    },

    disable: (name) => setActive(name, false),
    enable: (name) => setActive(name, true),
  }
}

function nameFaults(name: string): string[] {
  if (/^[!-~]{3,64}$/.test(name) && nameWithoutCards(name) === name) return []
  return [
    'A user name must have 3 to 64 letters, digits and signs of ASCII, without blanks, and not 12 ' +
      'digits in a row, which could be a card number.',
  ]
}

async function merchantFaults(client: pg.ClientBase, merchantId: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string; name: string }>(
    'select id, name from merchants order by id = $1 desc, id limit 20',
    [merchantId],
  )
  if (rows[0]?.id === String(merchantId)) return []
  const known = rows.map(({ id, name }) => `${id} (${name})`).join(', ')
  return [`There is no merchant ${merchantId}. There are: ${known || 'none yet'}.`]
}

async function unknownUser(client: pg.ClientBase, name: string): Promise<string> {
  const { rows } = await client.query<{ count: string }>('select count(*) from api_users')
  return (
    `There is no API user ${nameWithoutCards(name)} among ${rows[0]?.count ?? 0}; "tollgate users" ` +
    'lists them.'
  )
}

async function liveNumbers(client: pg.ClientBase, userId: string): Promise<number[]> {
  const { rows } = await client.query<{ number: number }>(
    'select number from api_user_passwords where user_id = $1 and retired_at is null order by number',
    [userId],
  )
  return rows.map(({ number }) => number)
}

async function listUsers(
  pool: pg.Pool,
  idleDays: number,
  merchantId: bigint | null,
): Promise<ApiUserSummary[]> {
  const { rows } = await pool.query<
    UserRow & { merchant: string; made_at: Date; made_by: string; last_used_at: Date | null }
  >(
    `select u.id, u.merchant_id, m.name as merchant, u.username, u.active,
            ${IS_IDLE('$1::integer')} as idle, u.allowed_from::text[] as allowed_from,
            u.made_at, u.made_by, u.last_used_at
       from api_users u join merchants m on m.id = u.merchant_id
      where $2::bigint is null or u.merchant_id = $2
      order by u.merchant_id, u.username`,
    [idleDays, merchantId],
  )
  const passwords = await pool.query<{
    user_id: string
    number: number
    made_at: Date
    made_by: string
    last_used_at: Date | null
  }>(
    `select user_id, number, made_at, made_by, last_used_at
       from api_user_passwords where retired_at is null and user_id = any($1::bigint[]) order by user_id, number`,
    [rows.map(({ id }) => id)],
  )
  const byUser = Map.groupBy(passwords.rows, (row) => row.user_id)
  return rows.map((row) => ({
    name: row.username,
    merchantId: Number(row.merchant_id),
    merchant: row.merchant,
    state: !row.active ? 'disabled' : row.idle ? 'idle' : 'enabled',
    madeAt: row.made_at,
    madeBy: row.made_by,
    lastUsedAt: row.last_used_at,
    allowedFrom: row.allowed_from,
    passwords: (byUser.get(row.id) ?? []).map((password) => ({
      number: password.number,
      madeAt: password.made_at,
      madeBy: password.made_by,
      lastUsedAt: password.last_used_at,
    })),
  }))
}
