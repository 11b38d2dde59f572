import assert from 'node:assert/strict'
import { bankOrder } from './bank-books.ts'
import { untilNoAdviceIsQueued, untilRow } from './payments.ts'
import type { RunningGateway } from './running-gateway.ts'
import type { Shop } from './shop.ts'

/**
 * Ends open transactions, as the jobs would within a minute, and waits until the bank acknowledged
 * every advice. Compares every order with the bank's books. Returns the number of orders.
 */
export async function assertBooksAgree(gateway: RunningGateway): Promise<number> {
  await gateway.pool.query(
    `update transactions set created_at = created_at - interval '5 minutes' where state = 'running'`,
  )
  await gateway.pool.query(
    `update three_ds_authentications a set decided_at = a.decided_at - interval '5 minutes'
       from transactions t where t.id = a.transaction_id and t.state = 'running'`,
  )
  await untilRow(
    gateway,
    'no transaction is running',
    `select 1 where not exists (select from transactions where state = 'running')`,
  )
  await untilNoAdviceIsQueued(gateway)
  const { rows } = await gateway.pool.query<{
    id: string
    state: string
    captured: string
    refunded: string
    held: string
  }>(
    `select id, state, captured_minor as captured, refunded_minor as refunded,
            authorized_minor - captured_minor - voided_minor as held from orders`,
  )
  for (const { id, state, captured, refunded, held } of rows) {
    const atBank = await bankOrder(gateway, id)
    assert.deepEqual(
      {
        captured: String(atBank?.capturedMinor ?? 0n),
        refunded: String(atBank?.refundedMinor ?? 0n),
        held: String(atBank?.heldMinor ?? 0n),
      },
      { captured, refunded, held },
      `order ${id} (${state}) is ${atBank?.state ?? 'unknown'} at the bank`,
    )
  }
  return rows.length
}

/** Asserts that all approvals are on record, with at most one order more per unsure answer. */
export async function assertKept(gateway: RunningGateway, shop: Shop): Promise<void> {
  const { rows } = await gateway.pool.query<{ id: string; captured: string }>(
    `select id, captured_minor as captured from orders
      where state = 'authorized' and requested_minor = 1200 and created_at >= $1`,
    [shop.openedAt],
  )
  const kept = new Map(rows.map(({ id, captured }) => [id, captured]))
  for (const [orderId, captured] of shop.approved) {
    const found = kept.get(orderId)
    assert.notEqual(found, undefined, `order ${orderId} was approved and is not there`)
    if (captured !== null) assert.equal(found, String(captured), `captured of order ${orderId}`)
  }
  const unsure = (shop.answers.get('API 120') ?? 0) + (shop.answers.get('unknown') ?? 0)
  const untold = kept.size - shop.approved.size
  assert.ok(
    untold <= unsure,
    `${untold} approvals that no answer reported, ${unsure} answers unsure`,
  )
}
