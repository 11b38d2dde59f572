import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { findCurrency, type Currency } from '../../../domain/currency.ts'
import { keyOfMessage } from '../../../domain/settlement/message-key.ts'
import type { Site } from '../../../usecases/merchants/merchant-directory.ts'
import type {
  OperationCharge,
  OperationDispute,
  OperationMovement,
  OperationStore,
} from '../../../usecases/sandbox/operation-ports.ts'

/** Orders of the site $1 and its merchant $2 at the bundled bank. */
const OF_SITE = `o.site_id = $1 and o.merchant_id = $2 and o.mode = 'test'
   and a.mode = 'test' and a.processor_link_id is null`

const ORDER = `
select o.merchant_account_id as account_id, a.acquirer_merchant_id as account, o.currency,
       retrieval_reference(o.message_number, o.message_at) as rrn, o.state, o.authorized_minor,
       o.captured_minor, o.voided_minor, o.expires_at, o.released_at
  from orders o join merchant_accounts a on a.id = o.merchant_account_id
 where ${OF_SITE} and o.id = $3`

const MOVEMENT = `
select o.merchant_account_id as account_id, a.acquirer_merchant_id as account, a.acquirer_id,
       o.id as order_id, t.kind, v.message_number, v.message_at
  from transactions t
  join orders o on o.id = t.order_id
  join merchant_accounts a on a.id = o.merchant_account_id
  join advices v on v.transaction_id = t.id and v.kind in ('capture', 'refund')
 where ${OF_SITE} and t.id = $3 and t.merchant_id = $2 and t.state = 'approved'
   and t.kind in ('sale', 'capture', 'refund')`

/** A case without an order belongs to a site by its account. */
const DISPUTE = `
select d.id, d.merchant_account_id as account_id, a.acquirer_merchant_id as account, d.case_id,
       d.state, d.order_id, d.currency, d.amount_minor, d.respond_by::text
  from disputes d
  join merchant_accounts a on a.id = d.merchant_account_id
  left join orders o on o.id = d.order_id
 where d.merchant_id = $2 and a.mode = 'test' and a.processor_link_id is null
   and case when o.id is null
         then exists (select from site_merchant_accounts x
                       where x.site_id = $1 and x.merchant_account_id = a.id)
         else o.site_id = $1 end`

const EXPIRE = `
update orders set expires_at = $4
 where id = $3 and site_id = $1 and merchant_id = $2 and mode = 'test' and state = 'authorized'
   and released_at is null and expires_at > $4`

const UNANSWERED = `
select count(*)::int as count from advices v join orders o on o.id = v.order_id
 where v.state = 'queued' and v.kind in ('capture', 'refund') and o.merchant_account_id = $1`

const CLOSING = `
select count(*)::int as count from batches
 where merchant_account_id = $1 and closed_at is not null
   and agreement in ('closing', 'agreeing', 'comparing')`

const LAST_CHARGE = `
select c.outcome, c.reason, c.order_id, c.transaction_id, m.state, m.next_at
  from membership_charges c join memberships m on m.id = c.membership_id
 where c.membership_id = $1 order by c.due_at desc, c.attempt desc limit 1`

/** Reads for operations of the sandbox, all within one test site. */
export function createOperationStore(pool: pg.Pool): OperationStore {
  const count = async (text: string, accountId: bigint): Promise<number> =>
    (await pool.query<{ count: number }>(text, [accountId])).rows[0]?.count ?? 0
  const one = async <Row extends pg.QueryResultRow>(
    text: string,
    { id, merchantId }: Site,
    ...more: readonly unknown[]
  ): Promise<Row | undefined> => (await pool.query<Row>(text, [id, merchantId, ...more])).rows[0]
  return {
    async findOrder(site, orderId) {
      const row = await one<OrderRow>(ORDER, site, orderId)
      return row === undefined
        ? null
        : {
            accountId: BigInt(row.account_id),
            account: row.account,
            currency: currencyOf(row.currency),
            rrn: row.rrn,
            state: row.state,
            authorizedMinor: BigInt(row.authorized_minor),
            capturedMinor: BigInt(row.captured_minor),
            voidedMinor: BigInt(row.voided_minor),
            expiresAt: row.expires_at,
            releasedAt: row.released_at,
          }
    },
    async findMovement(site, transactionId) {
      const row = await one<MovementRow>(MOVEMENT, site, transactionId)
      return row === undefined ? null : movementOf(row)
    },
    async findDispute(site, disputeId) {
      return disputeOf(await one<DisputeRow>(`${DISPUTE} and d.id = $3`, site, disputeId))
    },
    async findCase(site, accountId, caseId) {
      const text = `${DISPUTE} and d.merchant_account_id = $3 and d.case_id = $4`
      return disputeOf(await one<DisputeRow>(text, site, accountId, caseId))
    },
    countUnanswered: (accountId) => count(UNANSWERED, accountId),
    countClosing: (accountId) => count(CLOSING, accountId),
    async expire({ id, merchantId }, orderId, at) {
      return (await pool.query(EXPIRE, [id, merchantId, orderId, at])).rowCount === 1
    },
    async lastCharge(membershipId) {
      const { rows } = await pool.query<ChargeRow>(LAST_CHARGE, [membershipId])
      return rows[0] === undefined ? null : chargeOf(rows[0])
    },
  }
}

interface OrderRow {
  readonly account_id: string
  readonly account: string
  readonly currency: string
  readonly rrn: string
  readonly state: string
  readonly authorized_minor: string
  readonly captured_minor: string
  readonly voided_minor: string
  readonly expires_at: Date | null
  readonly released_at: Date | null
}

interface MovementRow {
  readonly account_id: string
  readonly account: string
  readonly acquirer_id: string
  readonly order_id: string
  readonly kind: OperationMovement['kind']
  readonly message_number: string
  readonly message_at: Date
}

function movementOf(row: MovementRow): OperationMovement {
  const message = { number: BigInt(row.message_number), at: row.message_at }
  return {
    accountId: BigInt(row.account_id),
    account: row.account,
    orderId: BigInt(row.order_id),
    kind: row.kind,
    key: keyOfMessage(row.acquirer_id, message),
  }
}

interface DisputeRow {
  readonly id: string
  readonly account_id: string
  readonly account: string
  readonly case_id: string
  readonly state: string
  readonly order_id: string | null
  readonly currency: string
  readonly amount_minor: string
  readonly respond_by: string | null
}

function disputeOf(row: DisputeRow | undefined): OperationDispute | null {
  if (row === undefined) return null
  return {
    id: BigInt(row.id),
    accountId: BigInt(row.account_id),
    account: row.account,
    caseId: row.case_id,
    state: row.state,
    orderId: row.order_id === null ? null : BigInt(row.order_id),
    currency: currencyOf(row.currency),
    amountMinor: BigInt(row.amount_minor),
    respondBy: row.respond_by,
  }
}

interface ChargeRow {
  readonly outcome: string
  readonly reason: string
  readonly order_id: string
  readonly transaction_id: string
  readonly state: string
  readonly next_at: Date | null
}

function chargeOf(row: ChargeRow): OperationCharge {
  return {
    outcome: row.outcome,
    reason: row.reason,
    orderId: BigInt(row.order_id),
    transactionId: BigInt(row.transaction_id),
    state: row.state,
    nextAt: row.next_at,
  }
}

function currencyOf(code: string): Currency {
  const currency = findCurrency(code)
  invariant(currency !== null, 'a stored order or dispute has an unknown currency')
  return currency
}
