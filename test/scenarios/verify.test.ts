import { verifyAndNote } from '@tollgate/gateway/books'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type pg from 'pg'
import { CHANGED_ROWS } from '../../packages/gateway/src/adapters/postgres/books/invariants/changed-rows.ts'
import {
  checkChanges,
  CHECKED_SINCE_LAST,
  checkInvariants,
} from '../../packages/gateway/src/adapters/postgres/books/invariants/check-invariants.ts'
import {
  COPYING,
  withValues,
} from '../../packages/gateway/src/adapters/postgres/books/invariants/copy-changed-rows.ts'
import { INVARIANTS } from '../../packages/gateway/src/adapters/postgres/books/invariants/invariant-list.ts'
import type { RunMark } from '../../packages/gateway/src/adapters/postgres/books/invariants/run-mark.ts'
import {
  noteEnd,
  noteStart,
  readMark,
} from '../../packages/gateway/src/adapters/postgres/books/invariants/verify-runs.ts'
import { DISPUTE_PLANTS } from '../../packages/gateway/test/adapters/postgres/disputes/dispute-plants.ts'
import { DEPOSIT_PLANTS } from '../../packages/gateway/test/adapters/postgres/settlement/deposit-plants.ts'
import { SETTLEMENT_PLANTS } from '../../packages/gateway/test/adapters/postgres/settlement/settlement-plants.ts'
import { brokenInvariants } from '../support/books.ts'
import { ask, codes, monthly, sale } from '../support/memberships.ts'
import { newReference, payment, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { walksOf } from '../support/table-walks.ts'
import { CARD, enrol, said, untilCardRanges } from '../support/three-ds.ts'

let gateway: RunningGateway
/**
 * An authorization that was captured and refunded in part, a sale with a claim, and a voided one.
 */
let held = ''
let sold = ''
let voided = ''
/** A good run from before all of them. */
let mark: RunMark
before(async () => {
  gateway = await startRunningGateway({}, undefined, {}, {})
  mark = await goodRun()
  await untilCardRanges(gateway)
  assert.equal(said(await enrol(gateway, CARD.authenticated)), 'APPROVED Y 05 0/100')
  assert.equal(said(await enrol(gateway, CARD.challenged)), 'PENDING C - 0/0')
  assert.equal(codes(await ask(gateway, sale(monthly('Gold')))), 'APPROVED 0/100')
  const client = gateway.client()
  held = (await client.authorize(payment('100.00'))).orderId
  await client.capture({ orderId: held, amount: '60' })
  await client.refund({ orderId: held, amount: '10', more: { IDEMPOTENCY_KEY: newReference() } })
  sold = (
    await client.sale(payment('20.00', { orderReference: newReference(), duplicates: 'refuse' }))
  ).orderId
  voided = (await client.authorize(payment('30.00'))).orderId
  await client.void({ orderId: voided })
  const captured = await client.sale(payment('40.00'))
  await client.captureVoid({ orderId: captured.orderId, amount: '15' })
  await client.void({ orderId: captured.orderId })
  await expire((await client.authorize(payment('50.00'))).orderId)
  await untilNoAdviceIsQueued(gateway)
})
after(() => gateway?.stop())

/** Notes a full run as a good one, and reads it as the next run does. */
async function goodRun(): Promise<RunMark> {
  const client = await gateway.pool.connect()
  try {
    await noteStart(client)
    await noteEnd(client, true, [])
    const read = await readMark(client, 'verify_runs')
    assert.ok(typeof read !== 'string', `no run can be gone on from: ${String(read)}`)
    return read
  } finally {
    client.release()
  }
}

async function expire(orderId: string): Promise<void> {
  await gateway.pool.query(`update orders set expires_at = now() where id = $1`, [orderId])
  const released = 'select from orders where id = $1 and released_at is not null'
  await untilRow(gateway, 'an expired order is released', released, [orderId])
}

interface Plant {
  /** Constraints and indexes that would not let it happen: `table constraint`, or an index. */
  readonly without?: string
  readonly sql: () => string
  /** The ids that the node has seen assigned. */
  readonly marks?: ReadonlyMap<string, bigint>
}

/** One breach of each invariant but those of settlement, deposits and disputes. Triggers and foreign keys are off while it is planted. */
const PLANTS: Readonly<Record<string, Plant>> = {
  order_limits: {
    without: 'orders orders_no_more_captured_than_authorized',
    sql: () => `update orders set captured_minor = authorized_minor + 1 where id = ${held}`,
  },
  line_limits: {
    without: 'order_lines order_lines_no_more_captured_than_the_line',
    sql: () => `update order_lines set captured_minor = amount_minor + 1 where order_id = ${held}`,
  },
  capture_limits: {
    without: 'transactions transactions_void_no_more_than_their_value',
    sql: () => `update transactions set voided_minor = value_minor + 1 where order_id = ${sold}`,
  },
  unauthorized_orders_hold_nothing: {
    sql: () => `update orders set state = 'declined' where id = ${held}`,
  },
  orders_match_transactions: {
    sql: () => `update orders set captured_minor = captured_minor - 1 where id = ${held}`,
  },
  orders_match_lines: {
    sql: () => `update order_lines set amount_minor = amount_minor + 1 where order_id = ${held}`,
  },
  adjustments_match_lines: {
    sql: () => 'update adjustment_lines set amount_minor = amount_minor + 1',
  },
  refunded_lines_match_refunds: {
    sql: () =>
      `update order_lines set refunded_minor = refunded_minor + 1 where order_id = ${held}`,
  },
  postings_are_sound: {
    without: 'ledger_postings ledger_postings_move_money',
    sql: () => `update ledger_postings set amount_minor = -amount_minor where order_id = ${held}`,
  },
  postings_have_parents: {
    sql: () => `update ledger_postings set currency = 'EUR' where order_id = ${held}`,
  },
  orders_match_ledger: {
    sql: () => `delete from ledger_postings where order_id = ${held} and kind = 'refund'`,
  },
  transactions_match_ledger: {
    sql: () =>
      `update ledger_postings set amount_minor = amount_minor + 1 where order_id = ${held}`,
  },
  orders_have_parents: { sql: () => `update orders set customer_id = 1 where id = ${held}` },
  payment_methods_have_a_customer: { sql: () => 'update payment_methods set customer_id = 1' },
  transactions_have_an_order: {
    sql: () => `update transactions set order_id = 1 where order_id = ${voided}`,
  },
  lines_have_an_order: {
    sql: () => `update order_lines set order_id = 1 where order_id = ${held}`,
  },
  adjustment_lines_have_parents: {
    sql: () => `update order_lines set order_id = ${sold} where order_id = ${held}`,
  },
  orders_begin_once: {
    sql: () =>
      `update transactions set kind = 'authorization' where order_id = ${held} and kind = 'capture'`,
  },
  orders_stand_where_they_began: {
    sql: () => `update transactions set state = 'declined' where order_id = ${sold}`,
  },
  transactions_end_once: {
    without: 'transactions transactions_have_an_end_once_past_running',
    sql: () => `update transactions set concluded_at = null where order_id = ${sold}`,
  },
  moved_money_is_in_a_batch: {
    without: 'transactions transactions_moving_money_are_in_a_batch',
    sql: () => `update transactions set batch_id = null where order_id = ${sold}`,
  },
  one_open_batch: {
    without: 'batches_one_open_per_account',
    sql: () => 'insert into batches (merchant_id, merchant_account_id) values (1, 2001)',
  },
  agreed_batches_are_in_balance: {
    sql: () =>
      `update batches set closed_at = now(), agreement = 'agreed', agreed_at = now()
        where merchant_account_id = 2003`,
  },
  fees_have_their_transaction: {
    sql: () =>
      `with charged as (
         insert into fee_charges (batch_id, merchant_id, fees)
         select batch_id, merchant_id, 1 from transactions where order_id = ${sold} and kind = 'sale')
       insert into transaction_fees (transaction_id, merchant_id, batch_id, kind, brand,
                                     plan_starts_on, day, currency, amount_minor, fee_minor)
       select id, merchant_id, batch_id, 'sale', 'Visa', '2026-01-01', '2026-01-02', 'USD',
              value_minor - voided_minor + 1, 5
         from transactions where order_id = ${sold} and kind = 'sale'`,
  },
  fees_are_counted: {
    sql: () => 'insert into fee_charges (batch_id, merchant_id, fees) values (1, 1, 3)',
  },
  claims_are_held: { sql: () => `update order_claims set state = 'running'` },
  idempotency_keys_have_a_transaction: {
    sql: () => 'update idempotency_keys set site_id = 1003',
  },
  transactions_have_one_event: {
    sql: () =>
      `with waiting as (delete from event_outbox where object_id = ${sold})
       update events set transaction_id = 1 where object_id = ${sold} and type = 'payment.approved'`,
  },
  events_of_objects_are_counted: {
    sql: () =>
      `insert into events
       select (jsonb_populate_record(e, jsonb_build_object('position', e.position + 1000000))).*
         from events e where e.object_id = ${sold} and e.type = 'payment.approved'`,
  },
  event_positions_have_no_gap: { sql: () => 'update event_head set position = 0' },
  mails_stay_with_their_merchant: {
    sql: () =>
      `insert into mail_messages (merchant_id, site_id, kind, mode, recipient, sender_name,
                                  reply_to, subject, body_text, body_html)
       values (2, 1001, 'receipt', 'test', 'a@b.example', '', '', 's', 't', '')`,
  },
  erased_customers_are_empty: {
    sql: () =>
      `insert into customer_erasures (customer_id, merchant_id, actor)
       select customer_id, merchant_id, 'test' from orders where id = ${sold}`,
  },
  running_transactions_are_listed: {
    // A job takes what is concluded off the list, some time later.
    sql: () =>
      `with unlisted as (delete from open_transactions)
       update transactions set state = 'running', concluded_at = null where order_id = ${sold}`,
  },
  running_transactions_end: {
    sql: () =>
      `update transactions set state = 'running', concluded_at = null, created_at = now() - interval '1 hour'
        where order_id = ${sold}`,
  },
  advices_have_parents: { sql: () => 'update advices set transaction_id = 1' },
  advices_are_gapless: {
    sql: () => `delete from advices where order_id = ${held} and sequence = 1`,
  },
  advices_are_acknowledged_in_sequence: {
    sql: () =>
      `update advices set state = 'queued', acknowledged_at = null
        where order_id = ${held} and sequence = 1`,
  },
  advices_are_acknowledged_with_a_time: {
    without: 'advices advices_are_acknowledged_with_a_time',
    sql: () => `update advices set acknowledged_at = null`,
  },
  captures_reach_the_bank: { sql: () => `delete from advices where order_id = ${sold}` },
  refunds_reach_the_bank: {
    sql: () => `update advices set amount_minor = amount_minor + 1 where kind = 'refund'`,
  },
  voids_reach_the_bank: { sql: () => `delete from advices where order_id = ${voided}` },
  unknown_outcomes_are_reversed: {
    sql: () =>
      `update transactions set state = 'failed', service_code = 502 where order_id = ${sold}`,
  },
  message_numbers_are_used_once: {
    sql: () =>
      `update advices set message_number = (select message_number from orders where id = ${held})
        where order_id = ${sold}`,
  },
  pending_payments_await_their_customer: {
    sql: () => `update three_ds_authentications set state = 'consumed', decided_at = now()
        where state in ('challenge', 'result')`,
  },
  authentications_end_with_their_payment: {
    sql: () => `update three_ds_authentications set state = 'failed' where state = 'consumed'`,
  },
  authentications_match_payments: {
    sql: () => 'update three_ds_authentications set amount_minor = amount_minor + 1',
  },
  used_authentication_values_are_erased: {
    without: 'three_ds_authentications three_ds_cavv_is_erased',
    sql: () =>
      `update three_ds_authentications set cavv_ciphertext = '', cavv_data_key_id = 1 where state = 'consumed'`,
  },
  security_codes_wait_for_a_final_call: {
    sql: () => `
      with used as (
        insert into card_tokens (id, token_hash, merchant_id, site_id, mode, fingerprint,
                                 created_at, expires_at, used_at)
        values (1, sha256('x'), 1, 1001, 'test', sha256('y'), now(), now(), now()) returning id)
      insert into card_token_codes (token_id, code_ciphertext, expires_at)
      select id, 'sealed', now() from used`,
  },
  memberships_begin_with_an_approved_payment: {
    sql: () => 'update memberships set order_line_id = order_line_id + 1',
  },
  lines_name_memberships_of_their_customer: {
    sql: () => `update order_lines set membership_id = 1 where order_id = ${held}`,
  },
  memberships_charge_cards_of_their_customer: {
    sql: () => 'update memberships set payment_method_id = 1',
  },
  memberships_charge_cards_that_are_there: {
    sql: () => `update payment_methods set removed_at = now(), pan_ciphertext = null, data_key_id = null
                 where id in (select payment_method_id from memberships)`,
  },
  customers_have_a_membership_once: {
    sql: () => `
      insert into memberships
      select (json_populate_record(m, json_build_object(
               'id', m.id + 1, 'order_line_id', -m.order_line_id))).* from memberships m`,
  },
  charges_under_way_are_on_record: {
    sql: () =>
      'update memberships set renewal_due_at = now(), charge_at = now(), charge_card_id = payment_method_id',
  },
  approved_charges_are_paid: {
    sql: () => `insert into membership_charges (membership_id, merchant_id, due_at, attempt, at,
                  payment_method_id, amount_minor, currency, outcome, order_id, transaction_id)
                select id, merchant_id, now(), 1, now(), payment_method_id, price_minor, currency, 'approved', ${held}, 1
                  from memberships`,
  },
  paid_renewals_are_charges: {
    sql: () =>
      `update order_lines set membership_id = (select min(id) from memberships) where order_id = ${sold}`,
  },
  memberships_are_not_late: {
    sql: () => `update memberships set next_at = now() - interval '1 hour'`,
  },
  authentications_end_in_time: {
    sql: () =>
      `update three_ds_authentications set expires_at = now() - interval '1 hour'
        where state in ('challenge', 'result')`,
  },
  ids_are_assigned: {
    sql: () => `update orders set message_number = message_number + 1000000 where id = ${held}`,
  },
  // Nothing is wrong in the database itself: it is older than what the node has seen.
  id_marks_are_assigned: {
    marks: new Map([['order_ids', 900_000_000n]]),
    sql: () => `select from orders where id = ${held}`,
  },
  advices_agree: { sql: () => `update advices set response_code = '76' where kind = 'refund'` },
}

interface Broken {
  readonly full: string[]
  /** The same by a run that goes on from `mark`. */
  readonly sinceLast: string[]
}

/** Plants a breach, gives the names of what is broken then, and takes all of it back. */
async function brokenBy({ without, sql, marks }: Plant): Promise<Broken> {
  const client = await gateway.pool.connect()
  try {
    await client.query('begin isolation level repeatable read')
    if (without !== undefined) await client.query(dropping(without))
    await client.query('set local session_replication_role = replica')
    const { rowCount } = await client.query(sql())
    assert.ok((rowCount ?? 0) > 0, 'nothing was planted')
    return await brokenSeenBy(client, marks)
  } finally {
    await client.query('rollback')
    client.release()
  }
}

function dropping(what: string): string {
  const [table, constraint] = what.split(' ')
  return constraint === undefined
    ? `drop index ${table}`
    : `alter table ${table} drop constraint ${constraint}`
}

async function brokenSeenBy(
  client: pg.ClientBase,
  idMarks: ReadonlyMap<string, bigint> = new Map(),
): Promise<Broken> {
  const options = { longestRunMs: 60_000, idMarks }
  const names = (results: readonly { readonly count: number; readonly name: string }[]) =>
    results.filter(({ count }) => count > 0).map(({ name }) => name)
  const full = names(await checkInvariants(client, options))
  return { full, sinceLast: names((await checkChanges(client, mark, options)).results) }
}

/** How a run that goes on from `mark` walks through growing tables, by table or invariant. */
async function walksSinceLast(client: pg.ClientBase): Promise<Record<string, string[]>> {
  const found: [string, string[]][] = []
  await client.query('begin isolation level repeatable read')
  await client.query(COPYING)
  for (const { table, sql } of CHANGED_ROWS) {
    found.push([table, await walksOf(client, withValues(sql, mark))])
    await client.query(`create temporary table ${table} on commit drop as ${withValues(sql, mark)}`)
  }
  for (const { name, since, sql, takes } of CHECKED_SINCE_LAST) {
    const path = since === 'whole' ? 'public, pg_temp' : 'pg_temp, public'
    await client.query(`set local search_path = ${path}`)
    const values = takes === undefined ? [] : [takes === 'id marks' ? '{}' : 60_000]
    found.push([name, await walksOf(client, sql, values)])
  }
  await client.query('rollback')
  return Object.fromEntries(found.filter(([, walked]) => walked.length > 0))
}

/** The breaches that the command finds and notes. */
async function runOf(sinceLast: boolean): Promise<string[]> {
  const dataDir = gateway.nodeSettings['DATA_DIR'] ?? ''
  const options = { bankTimeoutMs: 25_000, dataDir }
  const { results } = await verifyAndNote(gateway.databaseUrl, sinceLast, options)
  return results.filter(({ count, isWarning }) => count > 0 && !isWarning).map(({ name }) => name)
}

/** Changes rows as no gateway does. */
async function damage(sql: string): Promise<void> {
  await gateway.pool.query(`begin; set local session_replication_role = replica; ${sql}; commit`)
}

/** Makes an order so old that no run takes it for a new one. */
function age(orderId: string): Promise<void> {
  return damage(`update orders set created_at = now() - interval '3 hours' where id = ${orderId}`)
}

const IN_BOTH: ReadonlySet<string> = new Set(CHECKED_SINCE_LAST.map(({ name }) => name))

suite('verify', () => {
  test('holds after payments, captures, refunds and voids', async () => {
    assert.deepEqual(await brokenInvariants(gateway), [])
  })

  test('has a planted breach for each invariant', () => {
    const elsewhere = { ...SETTLEMENT_PLANTS, ...DEPOSIT_PLANTS, ...DISPUTE_PLANTS }
    const planted = Object.keys({ ...PLANTS, ...elsewhere })
    assert.deepEqual(planted.toSorted(), INVARIANTS.map(({ name }) => name).toSorted())
  })

  for (const [name, plant] of Object.entries(PLANTS)) {
    const how = IN_BOTH.has(name) ? 'in full and since the last run' : 'in full'
    test(`finds a breach of ${name} ${how}`, async () => {
      const { full, sinceLast } = await brokenBy(plant)
      assert.ok(full.includes(name), `found ${full.join(', ') || 'nothing'}`)
      const missed = full.filter((found) => IN_BOTH.has(found) && !sinceLast.includes(found))
      const tooMuch = sinceLast.filter((found) => !full.includes(found))
      assert.deepEqual({ missed, tooMuch }, { missed: [], tooMuch: [] })
    })
  }

  test('reaches each row of a growing table by a key when it goes on from the last run', async () => {
    const client = await gateway.pool.connect()
    try {
      assert.deepEqual(await walksSinceLast(client), {})
    } finally {
      client.release()
    }
  })

  test('a damaged older order is found by a full run, and then by each run until it is right', async () => {
    assert.deepEqual(await runOf(false), [])
    await age(held)
    await damage(`update orders set captured_minor = captured_minor - 1 where id = ${held}`)
    assert.deepEqual(await runOf(true), [], 'the damage is older than the last good run')
    const found = await runOf(false)
    assert.ok(found.includes('orders_match_transactions'), found.join(', '))
    assert.deepEqual(await runOf(true), found)

    await damage(`update orders set captured_minor = captured_minor + 1 where id = ${held}`)

    assert.deepEqual(await runOf(true), [])
  })

  test('an order that was open in the last run is checked again, though its end records no event', async () => {
    await age(sold)
    const ofSold = `where order_id = ${sold} and kind = 'capture'`
    await damage(
      `update advices set state = 'queued', acknowledged_at = null, next_try_at = 'infinity' ${ofSold}`,
    )
    assert.deepEqual(await runOf(true), [])
    await damage(
      `update advices set state = 'acknowledged', acknowledged_at = now(), amount_minor = 1 ${ofSold}`,
    )

    const found = await runOf(true)

    await damage(`update advices set amount_minor = 2000 ${ofSold}`)
    assert.deepEqual(found, ['captures_reach_the_bank'])
    assert.deepEqual(await runOf(true), [])
  })

  test('finds a ledger that lacks what an expired authorization released', async () => {
    const broken = await brokenBy({
      sql: () =>
        `update orders set voided_minor = voided_minor + 1, released_at = now() where id = ${held}`,
    })
    assert.ok(broken.full.includes('orders_match_ledger'), broken.full.join(', '))
    assert.ok(broken.sinceLast.includes('orders_match_ledger'), broken.sinceLast.join(', '))
  })
})
