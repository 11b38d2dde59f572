import type { Transaction } from '@tollgate/client'
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { pino } from 'pino'
import type { PaymentDetails } from '../../packages/client/src/requests.ts'
import { createSingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { loadConfig } from '../../packages/gateway/src/config/config.ts'
import { startGateway, type Gateway } from '../../packages/gateway/src/wiring/gateway.ts'
import { MASTERCARD, newReference, outcome, postForm, untilRow, VISA } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import { newToken, type DemoSite } from '../support/tokens.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const GONE = 'REFUSED 401/0 TOKEN_GUID'

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

const shop = (site: DemoSite = 1001) => gateway.client(site)
const make = async (securityCode?: string, cardNumber = VISA, site: DemoSite = 1001) =>
  (await newToken(gateway.baseUrl, { cardNumber, ...(securityCode && { securityCode }) }, site))
    .token

function pay(cardToken: string, more: PaymentDetails = {}): PaymentDetails {
  return { cardToken, expiry: '122040', amount: '12.50', ...more }
}

/** Another gateway on the same database, whose clock is ahead. */
async function startAhead(ms: number, runJobs = false): Promise<Gateway> {
  const loaded = loadConfig({ PORT: '0', TLS_PORT: '0', ...gateway.nodeSettings })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  return startGateway({
    config: loaded.config,
    databaseUrl: gateway.databaseUrl,
    runJobs,
    logger: pino({ level: 'silent' }),
    clock: { now: () => new Date(Date.now() + ms) },
  })
}

function clientOf(node: Gateway, siteId: DemoSite = 1001) {
  const { REQ_USERNAME: username = '', REQ_PASSWORD: password = '' } = credentials()
  return createSingleRequestClient({ baseUrl: node.addresses[0] ?? '', username, password, siteId })
}

/** How many authorizations the bank has approved. */
function approvals(): number {
  let count = 0
  for (const [, entry] of gateway.bank.books.messages.all()) if (entry.kind === 'auth') count += 1
  return count
}

async function rowOf(cardToken: string): Promise<Record<string, unknown>> {
  return untilRow(
    gateway,
    'the token is stored',
    `select t.*, (select count(*)::int from card_token_codes c where c.token_id = t.id) as codes
       from card_tokens t where token_hash = sha256($1)`,
    [Buffer.from(cardToken)],
  )
}

suite('a card token pays in place of a number', () => {
  test('with CCAUTHORIZE, CCAUTHCAP, a zero amount and an unreferenced credit', async () => {
    const authorized = await shop().authorize(pay(await make()))
    assert.equal(outcome(authorized), 'APPROVED 0/100')
    assert.equal(authorized.raw['PMT_L4'], '1111')
    assert.equal(outcome(await shop().sale(pay(await make()))), 'APPROVED 0/100')
    assert.equal(
      outcome(await shop().authorize(pay(await make(), { amount: '0.00' }))),
      'APPROVED 0/100',
    )
    const refund = await shop(1003).raw({
      REQUEST_ACTION: 'CCCREDIT',
      FORCE_CREDIT: '1',
      TOKEN_GUID: await make(undefined, VISA, 1003),
      PMT_EXPIRY: '122040',
      LI_VALUE_1: '5.00',
    })
    assert.equal(refund['TRANS_STATUS_NAME'], 'APPROVED')
  })

  test('for a customer, whose card it becomes', async () => {
    const first = await shop().sale(pay(await make()))
    const customerId = first.customerId
    const second = await shop().sale(pay(await make(undefined, MASTERCARD), { customerId }))
    assert.equal(outcome(second), 'APPROVED 0/100')
    const saved = await shop().sale({ customerId, last4: '4444', amount: '1.00' })
    assert.equal(outcome(saved), 'APPROVED 0/100')
    const again = await shop().sale(pay(await make(), { customerId }))
    assert.equal(again.raw['PMT_ID'], first.raw['PMT_ID'], 'the same number is the same saved card')
  })

  test('and wants its expiry', async () => {
    const cardToken = await make()
    assert.equal(outcome(await shop().sale({ cardToken, amount: '1' })), 'REFUSED 110/0 PMT_EXPIRY')
    assert.equal(outcome(await shop().sale(pay(cardToken))), 'APPROVED 0/100')
  })
})

suite('a card token is used once', () => {
  test('a second payment with it is 401', async () => {
    const cardToken = await make()
    assert.equal(outcome(await shop().sale(pay(cardToken))), 'APPROVED 0/100')
    assert.equal(outcome(await shop().sale(pay(cardToken))), GONE)
    assert.equal((await rowOf(cardToken))['pan_ciphertext'], null)
  })

  test('a declined payment uses it up', async () => {
    const cardToken = await make()
    assert.equal(outcome(await shop().sale(pay(cardToken, { amount: '6.00' }))), 'DECLINED 0/600')
    assert.equal(outcome(await shop().sale(pay(cardToken))), GONE)
    const wrong = await make(undefined, '4111111111111112')
    assert.equal(outcome(await shop().sale(pay(wrong))), 'DECLINED 0/675')
    assert.equal(outcome(await shop().sale(pay(wrong))), GONE)
  })

  test('a request that is refused does not', async () => {
    const cardToken = await make()
    const refusals: [PaymentDetails, string][] = [
      [{ amount: 'ten' }, 'REFUSED 112/0 LI_VALUE_1'],
      [{ customerId: 1 }, 'REFUSED 115/0'],
      [{ currency: 'QQQ' }, 'REFUSED 211/0 REQUEST_CURRENCY'],
      [{ more: { MERCH_ACCT_ID: '9' } }, 'REFUSED 0/500'],
    ]
    for (const [changes, expected] of refusals) {
      assert.equal(outcome(await shop().sale(pay(cardToken, changes))), expected)
    }
    const orderReference = newReference()
    const unique: PaymentDetails = { orderReference, duplicates: 'refuse' }
    await shop().sale({ cardNumber: VISA, expiry: '122040', amount: '1', ...unique })
    assert.equal(outcome(await shop().sale(pay(cardToken, unique))), 'REFUSED 0/685 XTL_ORDER_ID')
    const login = { CUST_LOGIN: newReference() }
    await shop().sale({ cardNumber: VISA, expiry: '122040', amount: '1', more: login })
    assert.equal(outcome(await shop().sale(pay(cardToken, { more: login }))), 'REFUSED 0/695')
    assert.equal(outcome(await shop().sale(pay(cardToken))), 'APPROVED 0/100')
  })

  test('of payments at once on two gateways one gets it', async () => {
    const other = await startAhead(0)
    try {
      const shops = [shop(), clientOf(other)]
      for (let round = 0; round < 5; round += 1) {
        const cardToken = await make()
        const before = approvals()
        const at = [...shops, ...shops, ...shops]
        const results = await Promise.all(at.map((each) => each.sale(pay(cardToken))))
        assert.deepEqual(results.map(outcome).toSorted(), [
          'APPROVED 0/100',
          ...Array.from({ length: 5 }, () => GONE),
        ])
        assert.equal(approvals() - before, 1)
      }
    } finally {
      await other.stop()
    }
  })

  test('a repeat of the same request is answered with the first answer', async () => {
    const cardToken = await make('123')
    const request = pay(cardToken, { orderReference: newReference(), duplicates: 'replay' })
    const first = await shop().sale(request)
    assert.equal(outcome(first), 'APPROVED 0/100')
    assert.deepEqual(
      { ...(await shop().sale(request)).raw, REQ_ID: '' },
      { ...first.raw, REQ_ID: '' },
    )
    const other = { ...request, orderReference: newReference() }
    assert.equal(outcome(await shop().sale(other)), GONE, 'another order is no repeat')
    const refused = { ...request, duplicates: 'refuse' } as const
    assert.equal(outcome(await shop().sale(refused)), 'REFUSED 0/685 XTL_ORDER_ID')
  })

  test('repeats at once get one answer', async () => {
    for (let round = 0; round < 5; round += 1) {
      const before = approvals()
      const request = pay(await make(), { orderReference: newReference(), duplicates: 'replay' })
      const results = await Promise.all(Array.from({ length: 6 }, () => shop().sale(request)))
      assert.deepEqual(new Set(results.map(outcome)), new Set(['APPROVED 0/100']))
      assert.equal(new Set(results.map((each: Transaction) => each.raw['TRANS_ID'])).size, 1)
      assert.equal(approvals() - before, 1)
    }
  })
})

suite('a card token exists only for its own site and mode', () => {
  test('a token is refused at another site, at another merchant and in the other mode', async () => {
    const cardToken = await make()
    assert.equal(outcome(await shop(1003).sale(pay(cardToken))), GONE)
    assert.equal(outcome(await shop(1002).sale(pay(cardToken))), GONE)
    assert.equal(outcome(await shop().sale(pay('A'.repeat(40)))), GONE)
    await gateway.pool.query(`update card_tokens set mode = 'live' where token_hash = sha256($1)`, [
      Buffer.from(cardToken),
    ])
    assert.equal(outcome(await shop().sale(pay(cardToken))), GONE)
    await gateway.pool.query(`update card_tokens set mode = 'test' where token_hash = sha256($1)`, [
      Buffer.from(cardToken),
    ])
    assert.equal(
      outcome(await shop().sale(pay(cardToken))),
      'APPROVED 0/100',
      'no refused payment used it up',
    )
  })
})

suite('time', () => {
  test('a token is good for a day and not a minute longer', async () => {
    const [early, late] = [await make(), await make()]
    const before = await startAhead(24 * HOUR_MS - MINUTE_MS)
    const behind = await startAhead(24 * HOUR_MS)
    try {
      assert.equal(outcome(await clientOf(behind).sale(pay(late))), GONE)
      assert.equal(outcome(await clientOf(before).sale(pay(early))), 'APPROVED 0/100')
    } finally {
      await Promise.all([before.stop(), behind.stop()])
    }
  })

  test('a security code is gone after a quarter of an hour, a number after a day', async () => {
    const cardToken = await make('123')
    const kept = async () => {
      const { codes, pan_ciphertext: number, fingerprint } = await rowOf(cardToken)
      return `${codes} codes, number ${number === null ? 'gone' : 'kept'}, ${String(fingerprint !== null)}`
    }
    assert.equal(await kept(), '1 codes, number kept, true')
    const quarter = await startAhead(15 * MINUTE_MS, true)
    try {
      await untilRow(
        gateway,
        'no code is left',
        'select 1 where not exists (select from card_token_codes)',
      )
      assert.equal(await kept(), '0 codes, number kept, true')
      const paid = await clientOf(quarter).authorize(pay(cardToken, { cvv: { mode: 'T' } }))
      assert.equal(outcome(paid), 'DECLINED 0/621', 'a code that is gone checks nothing')
    } finally {
      await quarter.stop()
    }
    const unused = await make()
    const day = await startAhead(25 * HOUR_MS, true)
    try {
      await untilRow(
        gateway,
        'no number is left',
        'select 1 where not exists (select from card_tokens where pan_ciphertext is not null)',
      )
      assert.equal((await rowOf(unused))['used_at'], null)
    } finally {
      await day.stop()
    }
  })
})

suite('a security code that came with the card', () => {
  test('a security code that came with the card is in a table that reaches no write-ahead log', async () => {
    const { rows } = await gateway.pool.query(
      `select relname, relpersistence from pg_class
        where relname in ('card_token_codes', 'card_token_codes_pkey', 'card_token_codes_to_erase')`,
    )
    assert.equal(rows.length, 3)
    assert.ok(rows.every(({ relpersistence }) => relpersistence === 'u'))
  })

  test('a security code that came with the card is checked in the payment, and gone afterwards', async () => {
    const cardToken = await make('123')
    const paid = await shop().sale(pay(cardToken))
    assert.equal(paid.raw['CVV_RESPONSE'], 'M')
    assert.equal((await rowOf(cardToken))['codes'], 0)
  })

  test('stands in for the PMT_KEY that a site demands', async () => {
    await gateway.pool.query('update sites set cvv_required = true where id = 1003')
    // One that remembers nothing of the site.
    const fresh = await startAhead(0)
    try {
      const sale = async (cardToken: string, more: PaymentDetails = {}) =>
        outcome(await clientOf(fresh, 1003).sale(pay(cardToken, more)))
      const bare = await make(undefined, VISA, 1003)
      assert.equal(await sale(bare), 'REFUSED 110/0 PMT_KEY')
      assert.equal(await sale(bare, { securityCode: '123' }), 'APPROVED 0/100')
      assert.equal(await sale(await make('123', VISA, 1003)), 'APPROVED 0/100')
    } finally {
      await fresh.stop()
    }
  })

  test('loses against the one that comes with the payment', async () => {
    // Its issuer approves only the code 123.
    const strict = '4000009000000771'
    const wrong = await shop().sale(pay(await make('123', strict), { securityCode: '999' }))
    const right = await shop().sale(pay(await make('999', strict), { securityCode: '123' }))
    assert.equal(`${wrong.status} ${right.status}`, 'DECLINED APPROVED')
  })
})

test('neither number, code nor token is in the database, the request log or the program log', async () => {
  const number = '4539578763621486'
  const cardToken = await make('8172', number)
  const form = {
    REQUEST_ACTION: 'CCAUTHCAP',
    TOKEN_GUID: cardToken,
    PMT_EXPIRY: '122040',
    LI_VALUE_1: '3.10',
  }
  await postForm(gateway, form)
  await postForm(gateway, form)
  const request = (where: string) =>
    untilRow(
      gateway,
      `a request is logged: ${where}`,
      `select parameters::text as logged from requests where ${where} order by id desc limit 1`,
    )
  assert.match(
    String((await request(`api_code = '401' and parameters->>'LI_VALUE_1' = '3.10'`))['logged']),
    /"TOKEN_GUID":"\[removed\]"/,
  )
  const ours = `action = 'TOKEN_SERVICE' and parameters->>'CARD_PAN' like '%1486'`
  const made = String((await request(ours))['logged'])
  assert.match(made, /"CARD_PAN":"453957\*{6}1486"/)
  assert.match(made, /"CARD_CVV":"\[removed\]"/)
  assert.match(made, /"X-SIGNATURE":"\[removed\]"/)

  const secrets = [number, cardToken]
  // As text, and as the database shows the bytes of a text.
  const shapes = secrets.flatMap((secret) => [secret, Buffer.from(secret).toString('hex')])
  const { rows } = await gateway.pool.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  assert.ok(rows.some(({ name }) => name === 'card_tokens'))
  for (const { name } of rows) {
    const found = await gateway.pool.query(`select from ${name} t where t::text ilike any ($1)`, [
      shapes.map((shape) => `%${shape}%`),
    ])
    assert.equal(found.rowCount, 0, name)
  }
  for (const secret of secrets) assert.ok(!gateway.logged().includes(secret))
})
