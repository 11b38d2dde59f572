import type pg from 'pg'
import type { DisputeState } from '../../../domain/disputes/dispute-states.ts'
import type { NoticeTx, StoredCase } from '../../../usecases/disputes/notice-store.ts'
import { ACCOUNT_TODAY } from './account-day.ts'
import { holdAccount } from './dispute-lock.ts'
import { noteExcess } from './excess-difference.ts'
import { findOrderOf } from './find-order.ts'
import { settleCases } from './money-statements.ts'
import { addNotice, changeCase, openCase } from './notice-statements.ts'

const HOLD_FEED = `
insert into dispute_feeds (merchant_id, merchant_account_id, sender, account, made_by)
values ($1, $2, $3, $4, $5) on conflict (merchant_account_id) do nothing`

const TODAY = `
select ${ACCOUNT_TODAY('$2')}::text as today from merchant_accounts a where a.id = $1`

/** The verbs of the recording of notices, on the connection of its transaction. */
export function noticeTx(client: pg.ClientBase): NoticeTx {
  return {
    async holdFeed({ account, merchantAccountId, merchantId, sender }, by) {
      await holdAccount(client, merchantAccountId)
      await client.query(HOLD_FEED, [merchantId, merchantAccountId, sender, account, by])
      const { rows } = await client.query<{ id: string; sender: string; last_n: string }>(
        'select id, sender, last_n from dispute_feeds where merchant_account_id = $1',
        [merchantAccountId],
      )
      const [row] = rows
      if (row === undefined) throw new Error(`Account ${merchantAccountId} has no feed.`)
      return { id: BigInt(row.id), sender: row.sender, lastN: BigInt(row.last_n) }
    },
    ...noticeReads(client),
    findOrder: (owner, notice) => findOrderOf(client, owner, notice),
    async lockOrders(ids) {
      await client.query(
        'select from orders where id = any ($1::bigint[]) order by id for update',
        [ids],
      )
      const { rows } = await client.query<{ id: string; currency: string; captured: string }>(
        `select id, currency, captured_minor as captured from orders where id = any ($1::bigint[])`,
        [ids],
      )
      return new Map(
        rows.map(({ captured, currency, id }) => [
          BigInt(id),
          { currency, capturedMinor: BigInt(captured) },
        ]),
      )
    },
    openCase: (owner, feedId, notice, change) => openCase(client, owner, feedId, notice, change),
    changeCase: (id, notice, change) => changeCase(client, id, notice, change),
    addNotice: (owner, feedId, dispute, notice, received) =>
      addNotice(client, owner, feedId, dispute, notice, received),
    async sumBlocked(orderId) {
      const { rows } = await client.query<{ sum: string }>(
        'select coalesce(sum(blocked_minor), 0) as sum from disputes where order_id = $1',
        [orderId],
      )
      return BigInt(rows[0]?.sum ?? 0)
    },
    async putDisputedOrder(merchantId, orderId, disputedMinor, isExcess) {
      await client.query(
        `insert into disputed_orders (order_id, merchant_id, disputed_minor, is_excess)
         values ($2, $1, $3, $4)
         on conflict (order_id) do update set disputed_minor = $3, is_excess = $4`,
        [merchantId, orderId, disputedMinor, isExcess],
      )
    },
    noteExcess: (orderId, isExcess, at, by) => noteExcess(client, orderId, isExcess, at, by),
    settleMoney: (caseIds, at, by) => settleCases(client, caseIds, at, by),
    async advanceFeed(feedId, lastN) {
      await client.query('update dispute_feeds set last_n = $2 where id = $1', [feedId, lastN])
    },
  }
}

/** The rows that earlier notices left. */
function noticeReads(
  client: pg.ClientBase,
): Pick<NoticeTx, 'findStored' | 'findUsedIds' | 'findCases' | 'readToday'> {
  return {
    async findStored(feedId, ns) {
      const { rows } = await client.query<{ n: string; content_sha256: string }>(
        `select n, content_sha256 from dispute_notices
          where feed_id = $1 and n = any ($2::bigint[])`,
        [feedId, ns],
      )
      return new Map(rows.map((row) => [BigInt(row.n), row.content_sha256]))
    },
    async findUsedIds(sender, ids) {
      const { rows } = await client.query<{ notice_id: string }>(
        'select notice_id from dispute_notices where sender = $1 and notice_id = any ($2::text[])',
        [sender, ids],
      )
      return new Set(rows.map((row) => row.notice_id))
    },
    async findCases(feedId, caseIds) {
      const { rows } = await client.query<CaseRow>(
        `select id, case_id, state, is_charged, order_id from disputes
          where feed_id = $1 and case_id = any ($2::text[])`,
        [feedId, caseIds],
      )
      return new Map(rows.map((row) => [row.case_id, storedCase(row)]))
    },
    async readToday(accountId, now) {
      const { rows } = await client.query<{ today: string }>(TODAY, [accountId, now])
      return rows[0]?.today ?? now.toISOString().slice(0, 10)
    },
  }
}

interface CaseRow {
  readonly id: string
  readonly case_id: string
  readonly state: DisputeState
  readonly is_charged: boolean
  readonly order_id: string | null
}

function storedCase(row: CaseRow): StoredCase {
  return {
    id: BigInt(row.id),
    state: row.state,
    isCharged: row.is_charged,
    orderId: row.order_id === null ? null : BigInt(row.order_id),
  }
}
