import { randomUUID } from 'node:crypto'
import { ask, sale, untilCatalogueIsKnown } from './memberships.ts'
import { payment, untilRow } from './payments.ts'
import { plantDelivery, plantEndpoint } from './planted-webhooks.ts'
import { addPortalUser, signIn } from './portal.ts'
import type { RunningGateway } from './running-gateway.ts'

/**
 * The address of an object of the demo merchant, for each kind of object in addresses of the
 * portal's API. `/users/:id` also stands for `/users/:id/disable` and every other address below
 * it. A section that adds a route with `:` adds a row here; test/scenarios/portal-access.test.ts
 * reports a missing one. The query behind a `?` is sent as well.
 */
export const PORTAL_OBJECTS: Readonly<
  Record<string, (gateway: RunningGateway) => Promise<string>>
> = {
  '/users/:id': async (gateway) => `/users/${(await addPortalUser(gateway, 'support')).id}`,
  '/user-requests/:id': () => Promise.resolve('/user-requests/1'),
  '/support-visits/:id': async ({ pool }) => {
    const { rows } = await pool.query<{ id: string }>(
      `with visitor as (
         insert into operators (email, name, role) values ('visitor@ops.test', 'Vi', 'admin')
         on conflict (email) do update set name = excluded.name returning id)
       insert into support_visits (operator_id, operator_session, merchant_id, reason, expires_at,
                                   ended_at, ended_by)
       select id, 1, 1, 'a visit', now() + interval '1 hour', now(), '' from visitor
       returning id`,
    )
    return `/support-visits/${rows[0]?.id}`
  },
  '/account/sessions/:id': async (gateway) => {
    const { body } = await (await signIn(gateway)).get('/account')
    return `/account/sessions/${body.sessions[0].id}`
  },
  '/settings/sites/:siteId': () => Promise.resolve('/settings/sites/1001'),
  '/settings/sites/:siteId/mails/:mailId': async ({ pool }) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into mail_messages (merchant_id, site_id, kind, mode, recipient, sender_name,
                                  reply_to, subject, body_text, body_html, state, ended_at)
       values (1, 1001, 'receipt', 'test', 'ada@shop.example', '', '', 's', 't', '', 'sent', now())
       returning id`,
    )
    return `/settings/sites/1001/mails/${rows[0]?.id}`
  },
  '/settings/sites/:siteId/go-live/:id': () => Promise.resolve('/settings/sites/1001/go-live/1'),
  '/settings/api-users/:name': () => Promise.resolve('/settings/api-users/demo%40tollgate.test'),
  '/settings/api-users/:name/passwords/:number': () =>
    Promise.resolve('/settings/api-users/demo%40tollgate.test/passwords/1'),
  '/settings/webhooks/:id': async ({ pool }) =>
    `/settings/webhooks/${await plantEndpoint(pool, 'enabled')}`,
  '/settings/webhook-deliveries/:id': async ({ pool }) =>
    `/settings/webhook-deliveries/${await plantDelivery(pool, await plantEndpoint(pool, 'enabled'))}`,
  '/batches/:id': async ({ pool }) => `/batches/${await batchOf(pool)}`,
  '/batches/:id/settlements/transactions': async ({ pool }) =>
    `/batches/${await batchOf(pool)}/settlements/transactions?state=settled&currency=USD`,
  '/payouts/:id': async ({ pool }) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into settlement_payouts (source_id, merchant_id, file_id, n, currency, carried_minor,
         gross_minor, refunds_minor, chargebacks_minor, fees_minor, reserve_minor, other_minor,
         left_minor, net_minor, value_date)
       select $1, 1, f.id, coalesce((select max(n) from settlement_payouts), 0) + 1, 'USD', 0, 100,
              0, 0, 0, 0, 0, 0, 100, '2026-11-20'
         from settlement_files f where f.source_id = $1
       returning id`,
      [await bookedSource(pool)],
    )
    return `/payouts/${rows[0]?.id}`
  },
  '/settlement-sources/:id': async ({ pool }) => `/settlement-sources/${await bookedSource(pool)}`,
  '/batch-accounts/:id': () => Promise.resolve('/batch-accounts/2001'),
  '/reconciliation/runs/:id': async ({ pool }) => `/reconciliation/runs/${await failedRun(pool)}`,
  '/reconciliation/differences/:id': async ({ pool }) => {
    const { rows } = await pool.query<{ id: string }>(
      `insert into recon_differences (merchant_id, order_id, currency, reasons, last_run_id)
       values (1, nextval('order_ids'), 'USD', '[]', $1) returning id`,
      [await failedRun(pool)],
    )
    return `/reconciliation/differences/${rows[0]?.id}`
  },
  '/settlement-differences/:id': async ({ pool }) =>
    `/settlement-differences/${await plantDifference(pool)}`,
  '/disputes/:id': async ({ pool }) => `/disputes/${await plantDispute(pool)}`,
  '/disputes/:id/files/:file': async ({ pool }) => {
    const id = await plantDispute(pool)
    const { rows } = await pool.query<{ id: string }>(
      `insert into dispute_files (merchant_id, dispute_id, name, content_type, bytes, sha256,
         uploaded_by, uploaded_at, erased_at)
       values (1, $1, 'erased.txt', 'text/plain', 1, $2, 'test', now(), now()) returning id`,
      [id, '0'.repeat(64)],
    )
    return `/disputes/${id}/files/${rows[0]?.id}`
  },
  '/order-views/:id': async (gateway) => {
    const view = { list: 'orders', name: randomUUID(), search: '', shared: true }
    return `/order-views/${(await (await signIn(gateway)).post('/order-views', view)).body.id}`
  },
  '/orders/:id': async (gateway) => `/orders/${(await sell(gateway)).order_id}`,
  '/orders/:id/void-or-refund': async (gateway) =>
    `/orders/${(await sell(gateway)).order_id}/void-or-refund?amount=1.00`,
  '/orders/:id/transactions/:transaction': async (gateway) => {
    const { order_id: order, transaction_id: transaction } = await sell(gateway)
    return `/orders/${order}/transactions/${transaction}`
  },
  '/customers/:customerId': async (gateway) => `/customers/${(await sell(gateway)).customer_id}`,
  '/customers/:customerId/cards/:cardId': async (gateway) => {
    const { customer_id: customer, card_id: card } = await sell(gateway)
    return `/customers/${customer}/cards/${card}`
  },
  '/sites/:siteId': () => Promise.resolve('/sites/1001'),
  '/memberships/:membershipId': async (gateway) => `/memberships/${await sellMembership(gateway)}`,
  '/developer/requests/:id': async (gateway) =>
    `/developer/requests/${(await sell(gateway)).request_id}`,
  '/developer/why/:id': async (gateway) => `/developer/why/${(await sell(gateway)).transaction_id}`,
  '/developer/clocks/:id': () => Promise.resolve('/developer/clocks/1001'),
  '/developer/operations/:id': () => Promise.resolve('/developer/operations/1001'),
  '/developer/receivers/:id': () => Promise.resolve('/developer/receivers/1001'),
  '/developer/bank/faults/:id': async (gateway) => {
    const rule = { site: '1001', count: 1, last4: '9999', action: { kind: 'silence' } }
    const { body } = await (await signIn(gateway)).post('/developer/bank/faults', rule)
    return `/developer/bank/faults/${body.id}`
  },
}

const SEEN = { authorizedMinor: '100', capturedMinor: '100', voidedMinor: '0', refundedMinor: '0' }
const KEY = 'a-key-of-this-test-alone'
const ADJUSTMENT = { key: KEY, amount: null, seen: SEEN }
const ADDRESS = {
  street: '',
  street2: '',
  city: '',
  state: '',
  postalCode: '',
  country: '',
  district: '',
}
const CONTACT = {
  firstName: '',
  lastName: '',
  email: '',
  phone: '',
  billing: ADDRESS,
  shipping: ADDRESS,
}

const THREE_DS = {
  required: false,
  whenUnavailable: 'authorize',
  paResRequired: false,
  challengePreference: null,
  returnHosts: [],
}

const NO_MAIL = { kinds: [], sendsTests: false, senderName: '', replyTo: '' }

/** Bodies that requests of these routes take; `{}` where there is no row. */
export const PORTAL_BODIES: Readonly<Record<string, unknown>> = {
  'PUT /users/:id': { role: 'admin' },
  'PUT /user-approvals': { required: false },
  'PUT /settings/sites/:siteId': { changes: { name: 'Mine' }, seen: {} },
  'PUT /settings/merchant/time-zone': { timeZone: 'UTC', seen: 'UTC' },
  'PUT /settings/sites/:siteId/catalogue': { catalogue: 'strict', seen: 'open' },
  'PUT /settings/sites/:siteId/three-ds': { policy: THREE_DS, seen: THREE_DS },
  'PUT /settings/sites/:siteId/card-testing': {
    draft: { rules: [], exceptAddresses: [] },
    seenRevision: 0,
  },
  'PUT /settings/sites/:siteId/card-testing/mode': {
    mode: 'watch',
    seen: { mode: 'off', revision: 0 },
  },
  'POST /settings/sites/:siteId/card-testing/try': { rules: [], exceptAddresses: [] },
  'PUT /settings/sites/:siteId/token-origins': { origins: [], seen: ['*'] },
  'PUT /settings/sites/:siteId/mail': { settings: NO_MAIL, seen: NO_MAIL },
  'PUT /settings/sites/:siteId/mail/texts': { kind: 'receipt', texts: null, seen: null },
  'POST /settings/sites/:siteId/mail/preview': {
    kind: 'receipt',
    texts: { subject: 's', text: 't', html: '' },
  },
  'POST /settings/sites/:siteId/mail/test': { kind: 'receipt' },
  'POST /settings/sites/:siteId/go-live': { digest: '0'.repeat(64) },
  'POST /settings/api-users/:name/networks/check': { networks: [] },
  'PUT /settings/api-users/:name/networks': { networks: [], seen: [] },
  'PUT /settings/api-users/:name/events': { on: true },
  'POST /settings/webhooks/:id/send-again': { since: null },
  'PUT /batch-accounts/:id/cutoff': { minute: 5 },
  'POST /reconciliation/differences/:id': { version: 1, what: 'taken' },
  'PUT /settlement-differences/:id/owner': { owner: 'owner@tollgate.test' },
  'POST /settlement-differences/:id/notes': { text: 'hello' },
  'POST /settlement-differences/:id/end': { as: 'accepted_timing', reason: 'Late.' },
  'POST /disputes/:id/files': { name: 'proof.txt', content: 'aGVsbG8=' },
  'POST /disputes/:id/contest': { text: 'It was delivered.' },
  'POST /orders/:id/captures': ADJUSTMENT,
  'POST /orders/:id/voids': ADJUSTMENT,
  'POST /orders/:id/capture-voids': ADJUSTMENT,
  'POST /orders/:id/refunds': ADJUSTMENT,
  'POST /orders/:id/void-or-refund': {
    key: KEY,
    currency: 'USD',
    seen: SEEN,
    steps: [{ does: 'void', minor: '100', whole: true }],
  },
  'POST /orders/:id/charges': { key: KEY, amount: '1.00' },
  'POST /orders/:id/notes': { key: KEY, text: 'hello' },
  'PUT /customers/:customerId/contact': { seen: CONTACT, wanted: CONTACT },
  'POST /sites/:siteId/products': { id: 'mine', name: 'Mine' },
  'PUT /sites/:siteId/products/active': { productId: 'mine', active: false },
  'POST /memberships/:membershipId/changes': {
    key: randomUUID(),
    seen: '1',
    request: { kind: 'cancel', when: 'now' },
  },
  'POST /developer/clocks/:id': { action: 'reset' },
  'POST /developer/operations/:id': { operation: 'expire-authorization', order: '1' },
  'POST /developer/receivers/:id': { types: [] },
  'POST /developer/receivers/:id/removal': { receiver: 'rcv_1' },
  'POST /developer/receivers/:id/answer': {
    receiver: 'rcv_1',
    manner: 'answer',
    status: 500,
    retryAfterS: null,
    delayMs: 0,
    left: 1,
  },
  'POST /developer/receivers/:id/faults': { endpoint: '1', faults: [] },
}

/** A capture of 10.00 USD of the demo merchant that is in no settlement file; gives its id. */
export async function plantDifference(pool: RunningGateway['pool']): Promise<string> {
  await pool.query(
    `insert into settlement_sources (merchant_id, merchant_account_id, currency, sender, receiver,
       account, since, fx_band_basis_points, made_by)
     values (1, 2001, 'USD', 'bank-demo', 'gw-01', 'MA-2001', '2026-11-01', 250, 'test')
     on conflict do nothing`,
  )
  const { rows } = await pool.query<{ id: string }>(
    `insert into settlement_differences (source_id, merchant_id, code, transaction_id, order_id,
       here_minor, here_currency, since, found_at)
     select s.id, 1, 'missing_at_bank', nextval('order_ids'), 880101, 1000, 'USD',
            current_date - 30, now()
       from settlement_sources s where s.merchant_account_id = 2001
     returning id`,
  )
  return rows[0]?.id ?? ''
}

async function batchOf(pool: RunningGateway['pool']): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    'select id from batches where merchant_id = 1 limit 1',
  )
  return String(rows[0]?.id)
}

/** A chargeback of 10.00 USD of the demo merchant that can be answered; gives its id. */
async function plantDispute(pool: RunningGateway['pool']): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `with feed as (
       insert into dispute_feeds (merchant_id, merchant_account_id, sender, account, last_n, made_by)
       values (1, 2001, 'objects', 'objects', 1, 'test')
       on conflict (merchant_account_id) do update set last_n = dispute_feeds.last_n + 1
       returning id, last_n),
     planted as (
       insert into disputes (merchant_id, merchant_account_id, feed_id, case_id, state, brand,
         amount_minor, currency, is_charged, opened_at, charged_at, changed_at)
       select 1, 2001, id, 'C-' || last_n, 'chargeback', 'visa', 1000, 'USD', true, now(), now(),
              now()
         from feed
       returning id, feed_id)
     insert into dispute_notices (feed_id, n, merchant_id, sender, notice_id, dispute_id, event,
       happened_at, amount_minor, currency, state_after, content_sha256, received_at, received_by)
     select p.feed_id, f.last_n, 1, 'objects', 'N-' || f.last_n, p.id, 'chargeback', now(), 1000,
            'USD', 'chargeback', $1, now(), 'test'
       from planted p join feed f on f.id = p.feed_id
     returning dispute_id as id`,
    ['0'.repeat(64)],
  )
  return rows[0]?.id ?? ''
}

async function failedRun(pool: RunningGateway['pool']): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `insert into recon_runs (merchant_id, asked_by, state, finished_at) values (1, 'test', 'failed', now()) returning id`,
  )
  return rows[0]?.id ?? ''
}

/** A source of the demo merchant with a booked file without lines; the same one each time. */
async function bookedSource(pool: RunningGateway['pool']): Promise<string> {
  await pool.query(
    `with source as (
       insert into settlement_sources (merchant_id, merchant_account_id, currency, sender, receiver,
         account, since, fx_band_basis_points, made_by)
       values (1, 2001, 'USD', 'objects', 'gw-01', 'objects', '2026-01-01', 0, 'test')
       on conflict do nothing returning id)
     insert into settlement_files (source_id, merchant_id, seq, file_id, state, business_date,
       value_date, zone, created_at, prev_sha256, content_sha256, bytes_sha256, lines, by_kind,
       opening_minor, gross_minor, fees_minor, net_minor, closing_minor, staged_by, booked_by,
       booked_at)
     select id, 1, 1, gen_random_uuid(), 'booked', '2026-11-20', '2026-11-20', 'UTC', now(), $1, $1,
            $1, 0, '{}', 0, 0, 0, 0, 0, 'test', 'test', now()
       from source`,
    ['0'.repeat(64)],
  )
  const { rows } = await pool.query<{ id: string }>(
    `select id from settlement_sources where sender = 'objects'`,
  )
  return rows[0]?.id ?? ''
}

interface Sold {
  readonly order_id: string
  readonly transaction_id: string
  readonly customer_id: string
  readonly card_id: string
  readonly request_id: string
}

const sold = new WeakMap<RunningGateway, Promise<Sold>>()

/** A sale of the demo merchant, once its request is in the log; the same one each time. */
function sell(gateway: RunningGateway): Promise<Sold> {
  const known = sold.get(gateway) ?? sellOnce(gateway)
  sold.set(gateway, known)
  return known
}

async function sellOnce(gateway: RunningGateway): Promise<Sold> {
  const { orderId } = await gateway.client().sale(payment('1.00'))
  const row = await untilRow(
    gateway,
    'the sale is in the request log',
    `select o.id as order_id, t.id as transaction_id, o.customer_id, o.payment_method_id as card_id, t.request_id
       from orders o join transactions t on t.order_id = o.id join requests r on r.id = t.request_id where o.id = $1`,
    [orderId],
  )
  return row as unknown as Sold
}

async function sellMembership(gateway: RunningGateway): Promise<string> {
  await gateway.pool.query(`
    insert into products (site_id, code, name, type, metric, period, price_minor, currency, active) values
      (1001, 'gold', 'Gold membership', 'renews', 'M', 1, 1995, 'USD', true),
      (1001, 'gone', 'Old plan', 'renews', 'M', 1, 1100, 'USD', false) on conflict do nothing`)
  await untilCatalogueIsKnown(gateway, 'gone')
  await ask(
    gateway,
    sale({
      LI_PROD_ID_1: 'gold',
      PMT_NUMB: '4444333322221111',
      CUST_EMAIL: `${randomUUID()}@example.com`,
    }),
  )
  const { rows } = await gateway.pool.query<{ id: string }>(
    'select max(id) as id from memberships where merchant_id = 1',
  )
  return rows[0]?.id ?? ''
}
