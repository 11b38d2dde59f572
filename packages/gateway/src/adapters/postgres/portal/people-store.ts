import type pg from 'pg'
import type { Role } from '../../../domain/portal/rights.ts'
import type { Mode } from '../../../usecases/merchant-directory.ts'
import type { PortalPerson } from '../../../usecases/portal/person.ts'
import type { PeopleStore } from '../../../usecases/portal/sessions.ts'

const IDLE = `interval '15 minutes'`

interface PersonRow {
  readonly id: string
  readonly merchant_id: string
  readonly email: string
  readonly name: string
  readonly role: Role
  readonly refund_limit_minor: string | null
  readonly refund_limit_currency: string | null
}

const PERSON = 'p.id, p.merchant_id, p.email, p.name, p.role, p.refund_limit_minor, p.refund_limit_currency'

function personOf(row: PersonRow): PortalPerson {
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    email: row.email,
    name: row.name,
    role: row.role,
    refundLimit:
      row.refund_limit_minor === null || row.refund_limit_currency === null
        ? null
        : { minor: BigInt(row.refund_limit_minor), currency: row.refund_limit_currency },
  }
}

/** People of the portal and their sessions. Sessions go by the database's clock. */
export function createPeopleStore(pool: pg.Pool): PeopleStore {
  return {
    async findByEmail(email) {
      const { rows } = await pool.query<PersonRow & { password_hash: string }>(
        `select ${PERSON}, p.password_hash from portal_people p
          where p.email = $1 and p.active and p.password_hash is not null`,
        [email],
      )
      const [row] = rows
      return row === undefined ? null : { person: personOf(row), passwordHash: row.password_hash }
    },
    async startSession({ personId, tokenDigest, csrfToken, address, browser }) {
      await pool.query(
        `insert into portal_sessions (person_id, token_digest, csrf_token, address, browser)
         values ($1, $2, $3, $4, $5)`,
        [personId, tokenDigest, csrfToken, address, browser.slice(0, 300)],
      )
    },
    async findSession(tokenDigest) {
      const { rows } = await pool.query<PersonRow & { session_id: string; csrf_token: string }>(
        `update portal_sessions s set last_seen_at = now() from portal_people p
          where s.token_digest = $1 and s.ended_at is null and s.last_seen_at > now() - ${IDLE}
            and p.id = s.person_id and p.active
      returning s.id as session_id, s.csrf_token, ${PERSON}`,
        [tokenDigest],
      )
      const [row] = rows
      return row === undefined ? null : { id: BigInt(row.session_id), person: personOf(row), csrfToken: row.csrf_token }
    },
    async endSession(id) {
      await pool.query('update portal_sessions set ended_at = now() where id = $1 and ended_at is null', [id])
    },
    async readMerchant(merchantId) {
      const [{ rows: merchants }, { rows: sites }] = await Promise.all([
        pool.query<{ name: string }>('select name from merchants where id = $1', [merchantId]),
        pool.query<{ id: string; name: string; mode: Mode; default_currency: string }>(
          'select id, name, mode, default_currency from sites where merchant_id = $1 order by id',
          [merchantId],
        ),
      ])
      return {
        name: merchants[0]?.name ?? '',
        sites: sites.map((site) => ({
          id: BigInt(site.id),
          name: site.name,
          mode: site.mode,
          defaultCurrency: site.default_currency,
        })),
      }
    },
  }
}
