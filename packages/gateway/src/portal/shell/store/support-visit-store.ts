import type { ConsoleRole } from '@tollgate/portal-contract/console-rights'
import type pg from 'pg'
import { createTransact } from '../../../adapters/postgres/audit/admin-transaction.ts'
import { insertMails } from '../../../adapters/postgres/mail/mail-rows.ts'
import { invariant } from '../../../base/invariant.ts'
import type {
  OpenVisit,
  SupportVisit,
  SupportVisitStore,
  SupportVisitTx,
} from '../usecases/support-visits.ts'
import { IS_OPEN } from './user-tables.ts'

/** SQL: whether the visit `v` still shows something to its operator. */
const IS_OPEN_VISIT = `(v.ended_at is null and v.expires_at > now() and exists (
  select from operator_sessions s join operators o on o.id = s.operator_id
   where s.id = v.operator_session and ${IS_OPEN} and o.active))`

/** SQL: when the visit `v` ended; null for one that is open. */
const ENDED_AT = `case when ${IS_OPEN_VISIT} then null
  else coalesce(v.ended_at, least(v.expires_at, now())) end`

/** Visits of operators to portals. They go by the database's clock. */
export function createSupportVisitStore(pool: pg.Pool): SupportVisitStore {
  return {
    transact: createTransact(pool, supportVisitTx),

    async listVisits(merchantId) {
      const { rows } = await pool.query<{
        id: string
        name: string
        email: string
        reason: string
        begun_at: Date
        expires_at: Date
        ended: Date | null
        ended_by: string | null
      }>(
        `select v.id, o.name, o.email, v.reason, v.begun_at, v.expires_at, v.ended_by,
                ${ENDED_AT} as ended
           from support_visits v join operators o on o.id = v.operator_id
          where v.merchant_id = $1 order by v.id desc limit 50`,
        [merchantId],
      )
      return rows.map(({ id, name, email, reason, ...row }): SupportVisit => ({
        id: BigInt(id),
        operator: { name, email },
        reason,
        begunAt: row.begun_at,
        expiresAt: row.expires_at,
        endedAt: row.ended,
        endedBy: row.ended_by ?? '',
      }))
    },

    async findOpenVisit(operatorSession) {
      const { rows } = await pool.query<{
        id: string
        merchant_id: string
        time_zone: string
        reason: string
        expires_at: Date
        seconds: number
      }>(
        `select v.id, v.merchant_id, m.time_zone, v.reason, v.expires_at,
                extract(epoch from v.expires_at - now())::float8 as seconds
           from support_visits v join merchants m on m.id = v.merchant_id
          where v.operator_session = $1 and ${IS_OPEN_VISIT}`,
        [operatorSession],
      )
      const [row] = rows
      if (row === undefined) return null
      return {
        id: BigInt(row.id),
        merchantId: BigInt(row.merchant_id),
        timeZone: row.time_zone,
        reason: row.reason,
        expiresAt: row.expires_at,
        secondsLeft: Math.floor(row.seconds),
      } satisfies OpenVisit
    },
  }
}

/** On the connection of a transaction that the caller began. */
function supportVisitTx(client: pg.ClientBase): Omit<SupportVisitTx, 'audit'> {
  return {
    ...beginning(client),

    async lockVisit(id, merchantId) {
      await client.query('select from support_visits where id = $1 for no key update', [id])
      const { rows } = await client.query<{
        merchant_id: string
        email: string
        is_open: boolean
      }>(
        `select v.merchant_id, o.email, ${IS_OPEN_VISIT} as is_open
           from support_visits v join operators o on o.id = v.operator_id
          where v.id = $1 and ($2::bigint is null or v.merchant_id = $2)`,
        [id, merchantId],
      )
      const [row] = rows
      if (row === undefined) return null
      const { email: operatorEmail, is_open: isOpen } = row
      return { id, merchantId: BigInt(row.merchant_id), operatorEmail, isOpen }
    },

    async endVisit(id, by) {
      await client.query(
        'update support_visits set ended_at = now(), ended_by = $2 where id = $1',
        [id, by],
      )
    },

    async mailOwners(merchantId, { subject, text }) {
      const { rows } = await client.query<{ id: string; email: string }>(
        `select id, email from portal_users
          where merchant_id = $1 and role = 'owner' and active order by id`,
        [merchantId],
      )
      for (const { id, email } of rows) {
        await insertMails(client, merchantId, BigInt(id), [
          {
            ...OF_NO_EVENT,
            recipient: email.replace(/#\d+$/, ''),
            senderName: 'Tollgate',
            subject,
            text,
            html: '',
          },
        ])
      }
    },
  }
}

/** Columns of a mail that follows from no event. */
const OF_NO_EVENT = {
  kind: 'support_visit',
  mode: 'live',
  siteId: null,
  customerId: null,
  orderId: null,
  position: null,
  eventId: '',
  replyTo: '',
} as const

function beginning(
  client: pg.ClientBase,
): Pick<
  SupportVisitTx,
  'lockVisitor' | 'endOver' | 'findOpen' | 'readMerchantName' | 'insertVisit'
> {
  return {
    async lockVisitor(operatorId) {
      const { rows } = await client.query<{ role: ConsoleRole }>(
        'select role from operators where id = $1 and active for no key update',
        [operatorId],
      )
      return rows[0]?.role ?? null
    },

    async endOver(operatorId) {
      const { rows } = await client.query<{
        id: string
        merchant_id: string
        email: string
        is_late: boolean
      }>(
        `update support_visits v set ended_at = least(v.expires_at, now()), ended_by = ''
           from operators visitor
          where visitor.id = v.operator_id and ($1::bigint is null or v.operator_id = $1)
            and v.ended_at is null and not ${IS_OPEN_VISIT}
         returning v.id, v.merchant_id, visitor.email, v.expires_at <= now() as is_late`,
        [operatorId],
      )
      return rows.map((row) => ({
        id: BigInt(row.id),
        merchantId: BigInt(row.merchant_id),
        operatorEmail: row.email,
        cause: row.is_late ? ('time' as const) : ('session' as const),
      }))
    },

    async findOpen(operatorId) {
      const { rows } = await client.query<{ name: string }>(
        `select m.name from support_visits v join merchants m on m.id = v.merchant_id
          where v.operator_id = $1 and v.ended_at is null`,
        [operatorId],
      )
      return rows[0]?.name ?? null
    },

    async readMerchantName(merchantId) {
      const { rows } = await client.query<{ name: string }>(
        'select name from merchants where id = $1',
        [merchantId],
      )
      return rows[0]?.name ?? null
    },

    async insertVisit({ operatorId, operatorSession, merchantId, reason, minutes }) {
      const { rows } = await client.query<{ id: string; expires_at: Date }>(
        `insert into support_visits (operator_id, operator_session, merchant_id, reason, expires_at)
         values ($1, $2, $3, $4, now() + $5::int * interval '1 minute')
         returning id, expires_at`,
        [operatorId, operatorSession, merchantId, reason, minutes],
      )
      const [row] = rows
      invariant(row !== undefined, 'a visit was inserted without an id')
      return { id: BigInt(row.id), expiresAt: row.expires_at }
    },
  }
}
