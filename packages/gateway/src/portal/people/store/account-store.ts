import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { audited, IS_OPEN } from '../../shell/store/people-store.ts'
import { LAST_PASSWORDS } from '../../shell/store/person-rows.ts'
import type { PortalSession } from '../../shell/usecases/person.ts'
import type { AccountStore } from '../usecases/account.ts'

/** Stores users' operations on their own accounts. */
export function createAccountStore(pool: pg.Pool): AccountStore {
  return {
    async read(session) {
      const [{ rows: people }, { rows: sessions }] = await Promise.all([
        pool.query<{ password_changed_at: Date; second_factor_set_at: Date | null; codes: number }>(
          `select p.password_changed_at, p.second_factor_set_at,
                  (select count(*)::int from portal_recovery_codes where person_id = p.id and used_at is null) as codes
             from portal_people p where p.id = $1`,
          [session.person.id],
        ),
        pool.query<{
          id: string
          address: string
          browser: string
          started_at: Date
          last_seen_at: Date
        }>(
          `select s.id, s.address, s.browser, s.started_at, s.last_seen_at from portal_sessions s
            where s.person_id = $1 and ${IS_OPEN} order by s.id = $2 desc, s.last_seen_at desc limit 100`,
          [session.person.id, session.id],
        ),
      ])
      const [person] = people
      if (person === undefined) throw new Error('The person who is signed in is not there.')
      return {
        passwordChangedAt: person.password_changed_at,
        secondFactorSetAt: person.second_factor_set_at,
        recoveryCodesLeft: person.codes,
        sessions: sessions.map((row) => ({
          id: BigInt(row.id),
          address: row.address,
          browser: row.browser,
          startedAt: row.started_at,
          lastSeenAt: row.last_seen_at,
          isThis: BigInt(row.id) === session.id,
        })),
      }
    },

    async setName({ id }, name, entry) {
      await audited(pool, [entry], (client) =>
        client.query('update portal_people set name = $2 where id = $1', [id, name]),
      )
    },

    async lastPasswords(personId) {
      const { rows } = await pool.query<{ hashes: string[] }>(
        `select ${LAST_PASSWORDS} as hashes from portal_people p where p.id = $1`,
        [personId],
      )
      return rows[0]?.hashes ?? []
    },

    async replacePassword(session, before, hash, entry) {
      const { ok } = await inTransaction(pool, AUDITED, async (client) => {
        const { rowCount } = await client.query(
          `update portal_people set password_hash = $3, password_changed_at = now()
            where id = $1 and password_hash = $2`,
          [session.person.id, before, hash],
        )
        if (rowCount !== 1) return { ok: false }
        await client.query('insert into portal_past_passwords (person_id, hash) values ($1, $2)', [
          session.person.id,
          before,
        ])
        await endOthers(client, session)
        await appendAudit(client, [entry])
        return { ok: true }
      })
      return ok
    },

    async setSecondFactor(session, { ciphertext, dataKeyId, step }, digests, entries) {
      await audited(pool, entries, async (client) => {
        await client.query(
          `update portal_people set second_factor_ciphertext = $2, second_factor_data_key_id = $3,
             second_factor_set_at = now(), second_factor_step = $4 where id = $1`,
          [session.person.id, ciphertext, dataKeyId, step],
        )
        await replaceCodes(client, session.person.id, digests)
        await client.query('update portal_sessions set second_factor = true where id = $1', [
          session.id,
        ])
        await endOthers(client, session)
      })
    },

    async removeSecondFactor(session, entry) {
      await audited(pool, [entry], async (client) => {
        await forgetSecondFactor(client, session.person.id)
        await endOthers(client, session)
      })
    },

    async replaceRecoveryCodes(personId, digests, entry) {
      await audited(pool, [entry], (client) => replaceCodes(client, personId, digests))
    },

    async endSessions(session, id, entry) {
      const { ended } = await inTransaction(pool, AUDITED, async (client) => {
        const { rowCount } = await client.query(
          `update portal_sessions s set ended_at = now()
            where s.person_id = $1 and ${IS_OPEN} and (s.id = $3 or ($3::bigint is null and s.id <> $2))`,
          [session.person.id, session.id, id],
        )
        const ended = rowCount ?? 0
        if (ended > 0)
          await appendAudit(client, [{ ...entry, details: { ...entry.details, ended } }])
        return { ok: true, ended }
      })
      return ended
    },
  }
}

async function endOthers(client: pg.ClientBase, { id, person }: PortalSession): Promise<void> {
  await client.query(
    'update portal_sessions set ended_at = now() where person_id = $1 and id <> $2 and ended_at is null',
    [person.id, id],
  )
}

async function replaceCodes(
  client: pg.ClientBase,
  personId: bigint,
  digests: readonly Buffer[],
): Promise<void> {
  await client.query('delete from portal_recovery_codes where person_id = $1', [personId])
  await client.query(
    'insert into portal_recovery_codes (person_id, digest) select $1, unnest($2::bytea[])',
    [personId, digests],
  )
}

/**
 * Takes second factor and recovery codes away, within the transaction of the caller, who writes the
 * entry.
 */
export async function forgetSecondFactor(client: pg.ClientBase, personId: bigint): Promise<void> {
  await client.query(
    `update portal_people set second_factor_ciphertext = null, second_factor_data_key_id = null,
       second_factor_set_at = null, second_factor_step = null where id = $1`,
    [personId],
  )
  await client.query('delete from portal_recovery_codes where person_id = $1', [personId])
}
