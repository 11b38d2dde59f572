import type pg from 'pg'
import type { ClaimedMail, MailQueue } from '../../../usecases/mail/mail-ports.ts'
import { createMailFanOut } from './mail-fan-out.ts'

/** Twice as long as an exchange with the mail server may take. */
const LEASE = `interval '90 seconds'`

const CLAIM = `
with due as materialized (
  select m.id from mail_messages m
   where m.state = 'waiting' and m.due_at <= $1 and m.leased_until < now()
   order by m.due_at limit $2 for update skip locked
)
update mail_messages m set leased_until = now() + ${LEASE}, claims = claims + 1
  from due where m.id = due.id
returning m.id, m.claims, m.attempts, m.round, m.event_id, m.recipient, m.sender_name, m.reply_to,
          m.subject, m.body_text, m.body_html, m.created_at`

/** Nothing is written once the lease is lost, or the mail was erased. */
const RECORD = `
update mail_messages
   set state = $3, attempts = $4, due_at = coalesce($5, due_at), answer = $6, ended_at = $7,
       leased_until = '-infinity'
 where id = $1 and claims = $2 and state = 'waiting'`

interface ClaimRow {
  readonly id: string
  readonly claims: number
  readonly attempts: number
  readonly round: number
  readonly event_id: string
  readonly recipient: string
  readonly sender_name: string
  readonly reply_to: string
  readonly subject: string
  readonly body_text: string
  readonly body_html: string
  readonly created_at: Date
}

/** Mails in the database. */
export function createMailQueue(pool: pg.Pool): MailQueue {
  return {
    fanOut: createMailFanOut(pool),
    async claim(now, limit) {
      const { rows } = await pool.query<ClaimRow>({
        name: 'claim mails',
        text: CLAIM,
        values: [now, limit],
      })
      return rows.map(claimedOf)
    },
    async record({ claim, id }, judged, answer, now) {
      const isWaiting = judged.state === 'waiting'
      await pool.query({
        name: 'write mail',
        text: RECORD,
        values: [
          id,
          claim,
          judged.state,
          judged.attempts,
          isWaiting ? judged.dueAt : null,
          answer,
          isWaiting ? null : now,
        ],
      })
    },
  }
}

function claimedOf(row: ClaimRow): ClaimedMail {
  return {
    id: BigInt(row.id),
    claim: row.claims,
    attempts: row.attempts,
    round: row.round,
    eventId: row.event_id,
    recipient: row.recipient,
    senderName: row.sender_name,
    replyTo: row.reply_to,
    subject: row.subject,
    text: row.body_text,
    html: row.body_html,
    createdAt: row.created_at,
  }
}

const BACKLOG = `
select count(*)::int as waiting,
       greatest(0, extract(epoch from clock_timestamp() - min(due_at)))::float8 as "overdueSeconds"
  from mail_messages where state = 'waiting'`

/** The mails that wait. */
export async function readMailBacklog(
  client: Pick<pg.Pool, 'query'>,
): Promise<{ readonly waiting: number; readonly overdueSeconds: number }> {
  const { rows } = await client.query<{ waiting: number; overdueSeconds: number | null }>(BACKLOG)
  return { waiting: rows[0]?.waiting ?? 0, overdueSeconds: rows[0]?.overdueSeconds ?? 0 }
}
