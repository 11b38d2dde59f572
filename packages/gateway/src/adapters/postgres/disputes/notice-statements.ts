import type pg from 'pg'
import type { DisputeState } from '../../../domain/disputes/dispute-states.ts'
import type { Notice } from '../../../domain/disputes/notice.ts'
import { noticeEventType } from '../../../domain/events/dispute-event.ts'
import type { CaseChange, FeedOwner } from '../../../usecases/disputes/notice-store.ts'
import { recordDisputeFact } from './dispute-facts.ts'

const OPEN = `
insert into disputes
  (merchant_id, merchant_account_id, feed_id, case_id, state, order_id, order_key, rrn, ref, brand,
   amount_minor, currency, reason, is_charged, blocked_minor, network_due, respond_by, opened_at,
   charged_at, changed_at, ended_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        case when $14 then $18::timestamptz end, $18, case when $19 then $18::timestamptz end)
returning id`

/** A new stage begins: its deadline replaces the one before. */
const CHANGE = `
update disputes
   set state = $2, order_id = $3, amount_minor = $4, currency = $5, reason = coalesce($6, reason),
       is_charged = $7, charged_at = coalesce(charged_at, case when $7 then $11::timestamptz end),
       blocked_minor = $8, network_due = $9, respond_by = $10, is_overdue = false, changed_at = $11,
       ended_at = case when $12 then $11::timestamptz end
 where id = $1`

const ADD = `
insert into dispute_notices
  (feed_id, n, merchant_id, sender, notice_id, dispute_id, event, happened_at, amount_minor,
   currency, reason, network_due, answer_id, state_before, state_after, content_sha256, received_at,
   received_by)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`

const ACKNOWLEDGE = `
update dispute_answers
   set state = 'acknowledged', sent_at = coalesce(sent_at, $3), acknowledged_at = $3,
       refused_reason = null
 where id = $1 and dispute_id = $2 and state <> 'acknowledged'`

/** The id of the new case. */
export async function openCase(
  client: pg.ClientBase,
  owner: FeedOwner,
  feedId: bigint,
  notice: Notice,
  change: CaseChange,
): Promise<bigint> {
  const { rows } = await client.query<{ id: string }>(OPEN, [
    owner.merchantId,
    owner.merchantAccountId,
    feedId,
    notice.caseId,
    change.state,
    change.orderId,
    notice.order,
    notice.rrn,
    notice.ref,
    notice.brand,
    notice.amountMinor,
    notice.currency,
    notice.reason,
    change.isCharged,
    change.blockedMinor,
    change.networkDue,
    change.respondBy,
    notice.at,
    change.isEnded,
  ])
  const [row] = rows
  if (row === undefined) throw new Error(`Case ${notice.caseId} was not stored.`)
  return BigInt(row.id)
}

export async function changeCase(
  client: pg.ClientBase,
  id: bigint,
  notice: Notice,
  change: CaseChange,
): Promise<void> {
  await client.query(CHANGE, [
    id,
    change.state,
    change.orderId,
    notice.amountMinor,
    notice.currency,
    notice.reason,
    change.isCharged,
    change.blockedMinor,
    change.networkDue,
    change.respondBy,
    notice.at,
    change.isEnded,
  ])
}

/** Stores a notice with its event, and marks the answer that it acknowledges. */
export async function addNotice(
  client: pg.ClientBase,
  owner: FeedOwner,
  feedId: bigint,
  dispute: {
    readonly id: bigint
    readonly before: DisputeState | null
    readonly after: DisputeState
  },
  notice: Notice,
  received: { readonly at: Date; readonly by: string },
): Promise<void> {
  await client.query(ADD, [
    feedId,
    notice.n,
    owner.merchantId,
    owner.sender,
    notice.id,
    dispute.id,
    notice.event,
    notice.at,
    notice.amountMinor,
    notice.currency,
    notice.reason,
    notice.networkDue,
    notice.answerId,
    dispute.before,
    dispute.after,
    notice.contentSha256,
    received.at,
    received.by,
  ])
  if (notice.answerId !== null) {
    await client.query(ACKNOWLEDGE, [notice.answerId, dispute.id, received.at])
  }
  const type = noticeEventType(dispute.before, dispute.after)
  await recordDisputeFact(client, type, dispute.id, null)
}
