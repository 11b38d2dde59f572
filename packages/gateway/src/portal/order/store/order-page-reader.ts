import type pg from 'pg'
import { loggedCardNumber } from '../../../adapters/postgres/audit/logged-parameters.ts'
import { ENTERED_BATCH } from '../../../adapters/postgres/payments/written-ahead.ts'
import { parseCardProduct } from '../../../domain/payments/card-product.ts'
import type { MessageIdentity } from '../../../usecases/payments/payment-store.ts'
import type { AdviceRow, OrderRows, TransactionRow, Who } from '../usecases/order-page.ts'
import { readMoney } from './order-money.ts'
import { PORTAL_USER_NAME, readPortalUsers } from './order-page-users.ts'
import { ORDER, type OrderRow as Row } from './order-row.ts'
import { memberships, readThreeDs } from './order-surroundings.ts'
import type { StoredTransaction } from './stored-transaction.ts'

/** Reads everything there is of one order of a merchant; null for one that it does not have. */
export function createOrderPageReader(
  pool: pg.Pool,
  retrievalReference: (order: MessageIdentity) => string,
): (merchantId: bigint, orderId: bigint) => Promise<OrderRows | null> {
  return async (merchantId, orderId) => {
    const { rows } = await pool.query<Row>(ORDER, [orderId, merchantId])
    const [row] = rows
    if (row === undefined) return null
    const [lines, transactions, advices, money, threeDs, theirMemberships, portalUsers] =
      await Promise.all([
        readLines(pool, orderId),
        readTransactions(pool, orderId),
        readAdvices(pool, orderId, row.message_number),
        readMoney(pool, merchantId, orderId),
        readThreeDs(pool, orderId),
        memberships(pool, orderId),
        readPortalUsers(pool, orderId),
      ])
    return {
      order: { ...orderOf(row, retrievalReference), ...(await cardOf(pool, row)) },
      lines,
      transactions,
      ...advices,
      ...threeDs,
      memberships: theirMemberships,
      ...portalUsers,
      ...money,
    }
  }
}

function orderOf(
  row: Row,
  retrievalReference: (order: MessageIdentity) => string,
): Omit<OrderRows['order'], 'card'> {
  return {
    id: BigInt(row.id),
    site: { id: BigInt(row.site_id), name: row.site_name },
    mode: row.mode,
    account: {
      id: BigInt(row.merchant_account_id),
      name: row.account_name.slice(0, 25).trim(),
      processor: row.processor_name,
    },
    currency: row.currency,
    kind: row.kind,
    state: row.state,
    reference: row.reference,
    membershipReference: row.membership_reference,
    receipt: row.receipt,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    releasedAt: row.released_at,
    expired: row.expired,
    reversedWhole: row.reversed_whole,
    disputedMinor: BigInt(row.disputed_minor),
    requestedMinor: BigInt(row.requested_minor),
    sums: {
      authorizedMinor: BigInt(row.authorized_minor),
      capturedMinor: BigInt(row.captured_minor),
      voidedMinor: BigInt(row.voided_minor),
      refundedMinor: BigInt(row.refunded_minor),
    },
    authCode: row.auth_code,
    networkTransactionId: row.network_transaction_id,
    retrievalReference: retrievalReference({
      number: BigInt(row.message_number),
      at: row.message_at,
    }),
    customer: {
      id: BigInt(row.customer_id),
      reference: row.customer_reference,
      firstName: row.first_name,
      lastName: row.last_name,
      email: row.email,
      phone: row.phone,
      billing: row.billing,
      shipping: row.shipping,
    },
  }
}

// The sealed number is not opened for six digits: the request log has them, unless a token came.
const BIN = `
select ${loggedCardNumber('r')} as masked
  from (select id from orders where customer_id = $1 and payment_method_id = $2 order by created_at limit 20) o
  join transactions t on t.order_id = o.id join requests r on r.id = t.request_id
 where ${loggedCardNumber('r')} is not null limit 1`

async function cardOf(pool: pg.Pool, row: Row): Promise<Pick<OrderRows['order'], 'card'>> {
  const { rows } = await pool.query<{ masked: string }>(BIN, [
    row.customer_id,
    row.payment_method_id,
  ])
  const masked = rows[0]?.masked ?? ''
  const isOfCard = /^\d{6}\*+\d{4}$/.test(masked) && masked.endsWith(row.last4)
  return {
    card: {
      id: BigInt(row.payment_method_id),
      brand: row.brand,
      bin: isOfCard ? masked.slice(0, 6) : null,
      last4: row.last4,
      expiryMonth: row.expiry_month,
      expiryYear: row.expiry_year,
    },
  }
}

async function readLines(pool: pg.Pool, orderId: bigint): Promise<OrderRows['lines']> {
  const { rows } = await pool.query<{
    id: string
    number: number
    product: string
    merchant_product: string
    count: number
    amount_minor: string
    captured_minor: string
    voided_minor: string
    refunded_minor: string
    membership_id: string | null
  }>(
    `select id, number, product, merchant_product, count, amount_minor, captured_minor, voided_minor, refunded_minor,
            membership_id
       from order_lines where order_id = $1 order by number`,
    [orderId],
  )
  return rows.map((line) => ({
    id: BigInt(line.id),
    number: line.number,
    product: line.product,
    merchantProduct: line.merchant_product,
    count: line.count,
    amountMinor: BigInt(line.amount_minor),
    capturedMinor: BigInt(line.captured_minor),
    voidedMinor: BigInt(line.voided_minor),
    refundedMinor: BigInt(line.refunded_minor),
    membershipId: line.membership_id === null ? null : BigInt(line.membership_id),
  }))
}

async function readTransactions(pool: pg.Pool, orderId: bigint): Promise<TransactionRow[]> {
  const { rows } = await pool.query<StoredTransaction>(
    `select t.id, t.request_id, t.kind, t.state, t.amount_minor, t.value_minor, t.voided_minor, t.order_line_id,
            ${ENTERED_BATCH} as batch_id, b.closed_at is not null as batch_closed,
            coalesce(s.state = 'rejected', false) as rejected, t.service_code, t.processor_code, t.processor_advice,
            t.industry_code, t.industry_advice, t.response_code, coalesce(n.merchant_advice, '') as merchant_advice,
            t.avs_code, t.cvv_code, t.card_product, t.created_at, t.concluded_at,
            ${PORTAL_USER_NAME} as "portalUser", r.username, mc.membership_id as membership
       from transactions t left join batches b on b.id = ${ENTERED_BATCH}
       left join settled_transactions s on s.transaction_id = t.id
       left join account_updates n on n.transaction_id = t.id
       left join requests r on r.id = t.request_id
       left join portal_operations a on a.request_id = t.request_id
       left join portal_users p on p.id = a.portal_user_id
       left join membership_charges mc on mc.transaction_id = t.id
      where t.order_id = $1 order by t.created_at, t.id`,
    [orderId],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    requestId: BigInt(row.request_id),
    kind: row.kind,
    state: row.state,
    amountMinor: BigInt(row.amount_minor),
    valueMinor: BigInt(row.value_minor),
    voidedMinor: BigInt(row.voided_minor),
    lineId: row.order_line_id === null ? null : BigInt(row.order_line_id),
    batchId: row.batch_id === null ? null : BigInt(row.batch_id),
    batchClosed: row.batch_closed,
    rejected: row.rejected,
    serviceCode: row.service_code,
    processorCode: row.processor_code,
    processorAdvice: row.processor_advice,
    industryCode: row.industry_code,
    industryAdvice: row.industry_advice,
    responseCode: row.response_code,
    merchantAdvice: row.merchant_advice,
    avsCode: row.avs_code,
    cvvCode: row.cvv_code,
    cardProduct: parseCardProduct(row.card_product),
    createdAt: row.created_at,
    concludedAt: row.concluded_at,
    who: whoOf(row),
  }))
}

function whoOf({ portalUser, membership, username }: StoredTransaction): Who {
  if (portalUser !== null) return { kind: 'portal_user', name: portalUser }
  if (membership !== null) return { kind: 'membership', name: `Membership ${membership}` }
  if (username !== null && username !== '') return { kind: 'api_user', name: username }
  return { kind: 'gateway', name: 'Gateway' }
}

async function readAdvices(
  pool: pg.Pool,
  orderId: bigint,
  orderMessage: string,
): Promise<Pick<OrderRows, 'advices' | 'lateAnswers'>> {
  const { rows } = await pool.query<{
    id: string
    transaction_id: string
    kind: AdviceRow['kind']
    state: AdviceRow['state']
    amount_minor: string
    reason: string | null
    tries: number
    next_try_at: Date
    response_code: string | null
    acknowledged_at: Date | null
    created_at: Date
    message_number: string
  }>(
    `select id, transaction_id, case when kind = 'reversal' and original_mti = '0220' then 'capture_reversal' else kind end as kind, state, amount_minor, reason, tries, next_try_at, response_code, acknowledged_at,
            created_at, message_number
       from advices where order_id = $1 order by sequence`,
    [orderId],
  )
  const { rows: late } = await pool.query<{
    received_at: Date
    mti: string
    response_code: string
  }>(
    'select received_at, mti, response_code from late_answers where message_number = any($1::bigint[]) order by id',
    [[orderMessage, ...rows.map(({ message_number: number }) => number)]],
  )
  return {
    advices: rows.map((row) => ({
      id: BigInt(row.id),
      transactionId: BigInt(row.transaction_id),
      kind: row.kind,
      state: row.state,
      amountMinor: BigInt(row.amount_minor),
      reason: row.reason,
      tries: row.tries,
      nextTryAt: row.next_try_at,
      responseCode: row.response_code,
      acknowledgedAt: row.acknowledged_at,
      createdAt: row.created_at,
    })),
    lateAnswers: late.map((row) => ({
      at: row.received_at,
      mti: row.mti,
      responseCode: row.response_code,
    })),
  }
}
