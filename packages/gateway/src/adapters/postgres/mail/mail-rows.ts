import type pg from 'pg'
import type { MailDraft } from '../../../usecases/mail/mail-ports.ts'
import { defineColumns } from '../connection/columns.ts'

/** A mail to be queued. A notice of a support visit follows from no event and no subscription. */
type QueuedMail = Omit<MailDraft, 'kind'> & { readonly kind: MailDraft['kind'] | 'support_visit' }

const columns = defineColumns({
  merchant_id: 'bigint',
  site_id: 'bigint',
  customer_id: 'bigint',
  portal_user_id: 'bigint',
  kind: 'text',
  mode: 'text',
  position: 'bigint',
  event_id: 'text',
  order_id: 'bigint',
  recipient: 'text',
  sender_name: 'text',
  reply_to: 'text',
  subject: 'text',
  body_text: 'text',
  body_html: 'text',
})

const INSERT = `
insert into mail_messages (${columns.names})
select * from unnest(${columns.parameters(1)})
on conflict (position, kind, recipient) do nothing
returning id`

/**
 * Queues mails; one that there is already stays as it is. Returns the ids of those that are new.
 * @param portalUserId of notices; null for mails to customers
 */
export async function insertMails(
  client: pg.ClientBase,
  merchantId: bigint,
  portalUserId: bigint | null,
  drafts: readonly QueuedMail[],
): Promise<readonly bigint[]> {
  if (drafts.length === 0) return []
  const { rows } = await client.query<{ id: string }>(
    INSERT,
    columns.values(drafts.map((draft) => rowOf(draft, merchantId, portalUserId))),
  )
  return rows.map(({ id }) => BigInt(id))
}

function rowOf(draft: QueuedMail, merchantId: bigint, portalUserId: bigint | null) {
  const idOf = (id: string | null): bigint | null => (id === null ? null : BigInt(id))
  return {
    merchant_id: merchantId,
    site_id: idOf(draft.siteId),
    customer_id: idOf(draft.customerId),
    portal_user_id: portalUserId,
    kind: draft.kind,
    mode: draft.mode,
    position: draft.position,
    event_id: draft.eventId,
    order_id: idOf(draft.orderId),
    recipient: draft.recipient,
    sender_name: draft.senderName,
    reply_to: draft.replyTo,
    subject: draft.subject,
    body_text: draft.text,
    body_html: draft.html,
  }
}
