import type { Transaction } from '@tollgate/client'
import assert from 'node:assert/strict'
import type { PaymentDetails } from '../../packages/client/src/requests.ts'
import { eventually } from './eventually.ts'
import { credentials, type RunningGateway } from './running-gateway.ts'

/** A public test number: unlimited money, any address, any security code. */
export const VISA = '4111111111111111'
export const MASTERCARD = '5555555555554444'
export const EXPIRY = '122040'

/** A payment with a card that always has money. */
export function payment(amount: string, more: PaymentDetails = {}): PaymentDetails {
  return { cardNumber: VISA, expiry: EXPIRY, amount, ...more }
}

let references = 0

/** An order reference that no other test uses. */
export function newReference(): string {
  references += 1
  return `ref-${process.pid}-${references}`
}

/** Posts a form and returns the text of the answer. Null leaves a parameter out. */
export async function postForm(
  gateway: RunningGateway,
  parameters: Readonly<Record<string, string | null>>,
): Promise<{ status: number; type: string; text: string; headers: Headers }> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...credentials(), ...parameters })) {
    if (value !== null) form.set(name, value)
  }
  const response = await fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
    method: 'POST',
    body: form,
  })
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    text: await response.text(),
    headers: response.headers,
  }
}

/** The codes of an answer in one line, so that a test compares them at once. */
export function outcome({ status, api, service, refField }: Transaction): string {
  const named = refField.trim() === '' ? '' : ` ${refField}`
  return `${status || 'REFUSED'} ${api.code}/${service.code}${named}`
}

/** An order's money as the database has it, as text of minor units. */
export async function moneyOf(gateway: RunningGateway, orderId: string): Promise<string> {
  const { rows } = await gateway.pool.query<Record<string, string>>(
    `select authorized_minor, captured_minor, voided_minor, refunded_minor
       from orders where id = $1`,
    [orderId],
  )
  const [row] = rows
  if (row === undefined) throw new Error(`Order ${orderId} is not in the database.`)
  return (
    `authorized ${row['authorized_minor']}, captured ${row['captured_minor']}, ` +
    `voided ${row['voided_minor']}, refunded ${row['refunded_minor']}`
  )
}

/** Resolves with the first row of the query, once there is one; else rejects with `what`. */
export async function untilRow(
  gateway: Pick<RunningGateway, 'pool'>,
  what: string,
  sql: string,
  values: readonly unknown[] = [],
  patienceMs?: number,
): Promise<Record<string, unknown>> {
  return eventually(
    what,
    async () => {
      const { rows } = await gateway.pool.query<Record<string, unknown>>(sql, [...values])
      return rows[0]
    },
    patienceMs === undefined ? {} : { seconds: patienceMs / 1_000 },
  )
}

/** Resolves when the bank has acknowledged everything that was queued. */
export async function untilNoAdviceIsQueued(gateway: Pick<RunningGateway, 'pool'>): Promise<void> {
  await untilRow(
    gateway,
    'no advice is queued',
    `select 1 where not exists (select from advices where state = 'queued')`,
  )
}

/** Closes the batch of the account's orders and opens the next, as the daily close does. */
export async function closeBatch(gateway: RunningGateway, accountId = 2001): Promise<void> {
  const connection = await gateway.pool.connect()
  try {
    await connection.query('begin')
    await connection.query(
      'update batches set closed_at = now() where merchant_account_id = $1 and closed_at is null',
      [accountId],
    )
    await connection.query(
      `insert into batches (merchant_id, merchant_account_id)
         select merchant_id, id from merchant_accounts where id = $1`,
      [accountId],
    )
    await connection.query('commit')
  } finally {
    connection.release()
  }
}

/** Days that an answer's authorization lasts from its request, or from the end of its challenge. */
export async function daysUntilExpiry(
  { pool }: RunningGateway,
  answer: Readonly<{ [name: string]: string }>,
  since: 'request' | 'challenge' = 'request',
): Promise<number> {
  assert.equal(answer['TRANS_STATUS_NAME'], 'APPROVED', JSON.stringify(answer))
  const { rows } = await pool.query<{ days: number }>(
    `select extract(epoch from o.expires_at - case $2 when 'request' then o.created_at
              else a.decided_at end)::float8 / 86400 as days
       from orders o left join three_ds_authentications a on a.order_id = o.id where o.id = $1`,
    [answer['PO_ID'], since],
  )
  return rows[0]?.days ?? NaN
}
