import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { ask, monthly, sale, type Record as Answer } from '../support/memberships.ts'
import { newReference, payment, postForm, untilRow } from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import { untilCharged } from '../support/renewals.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { clock } from '../support/site-clocks.ts'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

type Row = Readonly<Record<string, string>>

interface Status {
  readonly rows: readonly Row[]
  readonly columns: readonly string[]
  /** A refusal's record; null when rows were listed. */
  readonly refusal: Answer | null
  readonly truncated: string | null
}

/** CCSTATUS in JSON, each row by column. */
async function status(
  named: Readonly<Record<string, string>>,
  site: 1001 | 1002 | 1003 = 1001,
): Promise<Status> {
  const response = await fetch(new URL('/payment/pmt_service.cfm', gateway.baseUrl), {
    method: 'POST',
    body: new URLSearchParams({
      ...credentials(site),
      REQUEST_ACTION: 'CCSTATUS',
      REQUEST_RESPONSE_FORMAT: 'JSON',
      ...named,
    }),
  })
  const record = (await response.json()) as { COLUMNS?: string[]; DATA?: unknown[][] }
  const { COLUMNS: columns = [], DATA: data } = record
  const truncated = response.headers.get('tollgate-truncated')
  if (data === undefined) {
    return { rows: [], columns, refusal: record as unknown as Answer, truncated }
  }
  const rows = data.map((cells) =>
    Object.fromEntries(columns.map((name, at) => [name, String(cells[at])])),
  )
  return { rows, columns, refusal: null, truncated }
}

const said = (rows: readonly Row[]): string[] =>
  rows.map(
    ({ PO_ID, REQUEST_ACTION, TRANS_STATUS_NAME, TRANS_VALUE, TRANS_ORIGIN }) =>
      `${PO_ID} ${REQUEST_ACTION} ${TRANS_STATUS_NAME} ${TRANS_VALUE} ${TRANS_ORIGIN}`,
  )

/** `November, 22 2026 09:05:07`, as memberships show times. */
const TIMESTAMP = /^[A-Z][a-z]+, \d{2} \d{4} \d{2}:\d{2}:\d{2}$/

suite('CCSTATUS by reference', () => {
  test('O9: lists the rows of all orders of the reference, the latest order first', async () => {
    const reference = newReference()
    const named = { orderReference: reference }
    const first = await gateway.client().authorize(payment('20.00', named))
    await gateway.client().capture({ orderId: first.orderId, amount: '5.00' })
    const second = await gateway.client().sale(payment('20.00', named))
    const third = await gateway.client().sale(payment('6.00', named))

    const { rows, columns, truncated } = await status({ REQUEST_REF_PO_ID_XTL: reference })

    assert.deepEqual(said(rows), [
      `${third.orderId} CCAUTHCAP DECLINED 6 API`,
      `${second.orderId} CCAUTHCAP APPROVED 20 API`,
      `${first.orderId} CCAUTHORIZE APPROVED 20 API`,
      `${first.orderId} CCCAPTURE APPROVED 5 API`,
    ])
    assert.deepEqual(columns.slice(-2), ['TRANS_TS_UTC', 'TRANS_ORIGIN'])
    for (const { TRANS_TS_UTC: at = '' } of rows) {
      assert.match(at, TIMESTAMP)
      assert.ok(Math.abs(Date.parse(`${at} UTC`) - Date.now()) < 600_000, at)
    }
    assert.equal(truncated, null)
  })

  test('O9: time and origin end every row in XML and in PIPES too', async () => {
    const { orderId } = await gateway.client().sale(payment('3.00'))
    const named = { REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: orderId }
    const xml = await postForm(gateway, named)
    assert.match(
      xml.text,
      /<TRANS_TS_UTC>[^<]+<\/TRANS_TS_UTC><TRANS_ORIGIN>API<\/TRANS_ORIGIN><\/TRANSACTION>/,
    )
    const pipes = await postForm(gateway, { ...named, REQUEST_RESPONSE_FORMAT: 'PIPES' })
    assert.match(pipes.text, /\|\|TRANS_TS_UTC=[^|]+\|\|TRANS_ORIGIN=API$/)
  })

  test('O9: a reference of thousands of orders is answered with a thousand rows and says so', async () => {
    const reference = newReference()
    const { orderId } = await gateway.client().sale(payment('1.00', { orderReference: reference }))
    await copyOrder(orderId, 1_200)

    const { rows, truncated } = await status({ REQUEST_REF_PO_ID_XTL: reference })

    assert.equal(rows.length, 1_000)
    assert.equal(truncated, '1000')
    const ids = rows.map(({ PO_ID }) => Number(PO_ID))
    assert.deepEqual(
      ids,
      [...ids].sort((left, right) => right - left),
    )
  })

  test('A11: orders of another site or merchant with the same reference are not listed', async () => {
    const reference = newReference()
    await gateway.client(1002).sale(payment('4.00', { orderReference: reference }))
    const { refusal } = await status({ REQUEST_REF_PO_ID_XTL: reference })
    assert.equal(refusal?.['SERVICE_RESPONSE'], 512)
    assert.equal(refusal['REF_FIELD'], 'REQUEST_REF_PO_ID_XTL')
  })
})

suite('the origin of a row', () => {
  test('the origin of a row is PORTAL for what a portal user did', async () => {
    const { orderId } = await gateway.client().authorize(payment('9.00'))
    const owner = await signIn(gateway)
    const { body } = await owner.get(`/orders/${orderId}`)
    const done = await owner.post(`/orders/${orderId}/captures`, {
      key: `capture-${orderId}-origin`,
      amount: '4.00',
      seen: (body as { seen: unknown }).seen,
    })
    assert.equal(done.status, 200, JSON.stringify(done.body))

    const { rows } = await status({ REQUEST_REF_PO_ID: orderId })

    assert.deepEqual(said(rows), [
      `${orderId} CCAUTHORIZE APPROVED 9 API`,
      `${orderId} CCCAPTURE APPROVED 4 PORTAL`,
    ])
  })

  test('the origin of a row is EXPIRY for the end of an authorization, whose row has the amount that expired', async () => {
    const { orderId } = await gateway.client(1003).authorize(payment('70.00'))
    await gateway.client(1003).capture({ orderId, amount: '12.50' })
    await clock(gateway, 'step', { by: 'P10D' }, 1003)
    await untilRow(
      gateway,
      'the authorization is released',
      'select from orders where id = $1 and released_at is not null',
      [orderId],
    )

    const { rows } = await status({ REQUEST_REF_PO_ID: orderId }, 1003)

    assert.deepEqual(said(rows), [
      `${orderId} CCAUTHORIZE APPROVED 70 API`,
      `${orderId} CCCAPTURE APPROVED 12.5 API`,
      `${orderId} CCREVERSE APPROVED -57.5 EXPIRY`,
    ])
    const [, , expiry] = rows
    assert.equal(expiry?.['TRANS_ID'], '', 'no request can name the end of an authorization')
    assert.equal(expiry['REQ_ID'], '')
    const late = Date.parse(`${expiry['TRANS_TS_UTC']} UTC`) - Date.now()
    assert.ok(late > 6 * 86_400_000, `${late} ms from now`)
  })

  test('the origin of a row is RESOLVER for a payment that the gateway ended in place of a process that died', async () => {
    const { orderId, transactionId } = await gateway.client().sale(payment('6.00'))
    await gateway.pool.query(`update orders set state = 'running' where id = $1`, [orderId])
    await gateway.pool.query(
      `with listed as (insert into open_transactions (merchant_id, transaction_id) values (1, $1))
       update transactions set state = 'running', concluded_at = null,
              created_at = now() - interval '1 hour' where id = $1`,
      [transactionId],
    )
    await untilRow(
      gateway,
      'the payment is resolved',
      `select from transactions where id = $1 and state = 'failed'`,
      [transactionId],
    )
    const { rows } = await status({ REQUEST_REF_PO_ID: orderId })
    assert.deepEqual(said(rows), [`${orderId} CCAUTHCAP FAILED 6 RESOLVER`])
  })
})

suite('CCSTATUS by membership', () => {
  test('O9: lists state, next charge and all charges of a membership, with its own references', async () => {
    const first = await ask(
      gateway,
      sale(
        monthly('Status by membership', {
          LI_VALUE_1: '10.00',
          XTL_CUST_ID: 'customer-7',
          MBSHP_ID_XTL: 'club-7',
        }),
      ),
    )
    const { MBSHP_ID_1: id = '', PO_ID: orderId = '' } = first
    await gateway.pool.query(
      `update memberships set anchor_at = now() - interval '1 month',
              created_at = now() - interval '1 month', next_at = now() where id = $1`,
      [id],
    )
    const [charge] = await untilCharged(gateway, id)

    const { rows, columns } = await status({ REQUEST_REF_MBSHP_ID: id })

    assert.deepEqual(said(rows), [
      `${charge?.order_id} CCAUTHCAP APPROVED 10 REBILL`,
      `${orderId} CCAUTHCAP APPROVED 10 API`,
    ])
    assert.deepEqual(columns.slice(-7), [
      'MBSHP_ID',
      'MBSHP_STATE',
      'MBSHP_REBILL_TS_UTC',
      'MBSHP_REBILL_VALUE',
      'MBSHP_CANCEL_TS_UTC',
      'TRANS_TS_UTC',
      'TRANS_ORIGIN',
    ])
    for (const row of rows) {
      assert.equal(row['MBSHP_ID_XTL'], 'club-7')
      assert.equal(row['XTL_CUST_ID'], 'customer-7')
      assert.equal(row['MBSHP_ID'], id)
      assert.equal(row['MBSHP_STATE'], 'ACTIVE')
      assert.equal(row['MBSHP_REBILL_VALUE'], '10')
      assert.equal(row['MBSHP_CANCEL_TS_UTC'], '')
      assert.match(row['MBSHP_REBILL_TS_UTC'] ?? '', TIMESTAMP)
    }
    await ask(gateway, {
      REQUEST_ACTION: 'SUB_CANCEL',
      REQUEST_REF_MBSHP_ID: id,
      SUB_CANCEL_TYPE: '2',
    })
    const [after] = (await status({ REQUEST_REF_MBSHP_ID: id })).rows
    assert.equal(after?.['MBSHP_STATE'], 'CANCEL_SCHEDULED')
    assert.equal(after['MBSHP_REBILL_TS_UTC'], '')
    assert.equal(after['MBSHP_REBILL_VALUE'], '')
    assert.match(after['MBSHP_CANCEL_TS_UTC'] ?? '', TIMESTAMP)
  })

  test("A11: another merchant's membership is answered like one that does not exist", async () => {
    const { MBSHP_ID_1: id = '' } = await ask(gateway, sale(monthly('Of merchant one')))
    const [theirs, none] = await Promise.all([
      status({ REQUEST_REF_MBSHP_ID: id }, 1002),
      status({ REQUEST_REF_MBSHP_ID: '999999999' }, 1002),
    ])
    const of = ({ refusal }: Status): string =>
      `${refusal?.['SERVICE_RESPONSE']} ${refusal?.['REF_FIELD']}`
    assert.equal(of(theirs), '512 REQUEST_REF_MBSHP_ID')
    assert.equal(of(none), of(theirs))
  })
})

/** Copies an order with its transaction so many times, each a second older than the one before. */
async function copyOrder(orderId: string, times: number): Promise<void> {
  const copy = (table: string, of: string, changed: string): string =>
    `insert into ${table}
     select (jsonb_populate_record(x, to_jsonb(x) || ${changed})).*
       from ${table} x, generate_series(1, ${times}) n where x.${of} = ${orderId}`
  const at = `'created_at', x.created_at - n * interval '1 second'`
  await gateway.pool.query(
    copy('orders', 'id', `jsonb_build_object('id', x.id - 500000 - n, ${at})`),
  )
  await gateway.pool.query(
    copy(
      'transactions',
      'order_id',
      `jsonb_build_object('id', x.id - 500000 - n, 'order_id', x.order_id - 500000 - n, ${at})`,
    ),
  )
}
