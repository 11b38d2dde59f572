import type pg from 'pg'
import type { RenderedMail } from '../../../domain/mail/template.ts'
import type { MailFilter, MailView } from '../../../usecases/mail/site-mail-store.ts'

const COLUMNS = `id, kind, mode, recipient, subject, state, attempts, answer,
       event_id as "eventId", order_id as "orderId", created_at as "createdAt", due_at as "dueAt",
       ended_at as "endedAt"`

/** Notices about the site are in the mailboxes of the portal users who get them, not here. */
const LOG = `
select ${COLUMNS} from mail_messages
 where site_id = $1 and portal_user_id is null and ($2::text is null or state = $2)
   and ($3::bigint is null or order_id = $3)
 order by id desc limit $4`

const ONE = `
select ${COLUMNS}, body_text as text, body_html as html from mail_messages
 where site_id = $1 and id = $2 and portal_user_id is null`

type Row<View> = Omit<View, 'id'> & { readonly id: string }
type Client = Pick<pg.Pool, 'query'>

/** The newest mails to customers of a site. */
export async function readMailLog(
  client: Client,
  siteId: bigint,
  { limit, orderId, state }: MailFilter,
): Promise<readonly MailView[]> {
  const { rows } = await client.query<Row<MailView>>(LOG, [siteId, state, orderId, limit])
  return rows.map((row) => ({ ...row, id: BigInt(row.id) }))
}

/** One of them with its content; null for none of this site. */
export async function readMail(
  client: Client,
  siteId: bigint,
  id: bigint,
): Promise<(MailView & RenderedMail) | null> {
  const { rows } = await client.query<Row<MailView & RenderedMail>>(ONE, [siteId, id])
  const [row] = rows
  return row === undefined ? null : { ...row, id: BigInt(row.id) }
}
