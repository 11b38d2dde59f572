import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import type { InvitationStore } from '../usecases/invitations.ts'
import { insertSession } from './people-store.ts'
import { LAST_PASSWORDS, PERSON, personOf, type PersonRow } from './person-rows.ts'

/** Links that were handed over and not taken up yet. They go by the database's clock. */
export function createInvitationStore(pool: pg.Pool): InvitationStore {
  return {
    async find(tokenDigest) {
      const { rows } = await pool.query<
        PersonRow & {
          kind: 'invitation' | 'reset'
          merchant: string
          expires_at: Date
          hashes: string[]
        }
      >(
        `select ${PERSON}, i.kind, i.expires_at, m.name as merchant, ${LAST_PASSWORDS} as hashes
           from portal_invitations i
           join portal_people p on p.id = i.person_id
           join merchants m on m.id = p.merchant_id
          where i.token_digest = $1 and i.ended_at is null and i.expires_at > now() and p.active`,
        [tokenDigest],
      )
      const [row] = rows
      if (row === undefined) return null
      const { kind, merchant, expires_at: expiresAt, hashes: lastPasswords } = row
      return { kind, merchant, expiresAt, lastPasswords, person: personOf(row) }
    },

    async take(tokenDigest, { name, passwordHash }, session, entry) {
      const { ok } = await inTransaction(pool, AUDITED, async (client) => {
        const { rowCount } = await client.query(
          `update portal_invitations i set ended_at = now() from portal_people p
            where i.token_digest = $1 and i.ended_at is null and i.expires_at > now()
              and p.id = i.person_id and p.id = $2 and p.active`,
          [tokenDigest, session.personId],
        )
        if (rowCount !== 1) return { ok: false }
        await client.query(
          `update portal_people set name = $2, password_hash = $3, password_changed_at = now(), enabled_at = now()
            where id = $1`,
          [session.personId, name, passwordHash],
        )
        await insertSession(client, session)
        await appendAudit(client, [entry])
        return { ok: true }
      })
      return ok
    },
  }
}
