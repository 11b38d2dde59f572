import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  closeBatch,
  EXPIRY,
  moneyOf,
  newReference,
  outcome,
  payment,
  untilRow,
  VISA,
} from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

const AT_ONCE = 20

let gateway: RunningGateway
before(async () => {
  gateway = await startRunningGateway()
})
after(() => gateway?.stop())

/** The same client for all, without a variable that is there before the gateway is. */
const shop = () => gateway.client()

async function authorized(amount: string): Promise<string> {
  const answer = await shop().authorize(payment(amount))
  assert.equal(outcome(answer), 'APPROVED 0/100')
  return answer.orderId
}

async function sold(amount: string): Promise<string> {
  const answer = await shop().sale(payment(amount))
  assert.equal(outcome(answer), 'APPROVED 0/100')
  return answer.orderId
}

/** Orders in every state of the table of adjustments, each made again. */
const STATES = {
  'not found': async () => '599999',
  declined: async () => (await shop().authorize(payment('6.00'))).orderId,
  authorized: () => authorized('10'),
  'partly captured': async () => {
    const orderId = await authorized('10')
    await shop().capture({ orderId, amount: '4' })
    return orderId
  },
  'fully captured': () => sold('10'),
  batch_closed: async () => {
    const orderId = await sold('10')
    await closeBatch(gateway)
    return orderId
  },
  'fully refunded': async () => {
    const orderId = await sold('10')
    await shop().refund({ orderId, amount: '10' })
    return orderId
  },
  reversed: async () => {
    const orderId = await authorized('10')
    await shop().void({ orderId })
    return orderId
  },
} as const

const ROWS: readonly {
  readonly state: keyof typeof STATES
  /** SERVICE codes of CCCAPTURE 1.00, CCREVERSE, CCREVERSECAP and CCCREDIT 1.00; 100 approves. */
  readonly codes: readonly [string, string, string, string]
}[] = [
  { state: 'not found', codes: ['512', '512', '512', '512'] },
  { state: 'declined', codes: ['580', '580', '580', '580'] },
  { state: 'authorized', codes: ['100', '100', '580', '536'] },
  { state: 'partly captured', codes: ['100', '100', '100', '100'] },
  { state: 'fully captured', codes: ['507', '100', '100', '100'] },
  { state: 'batch_closed', codes: ['507', '525', '525', '100'] },
  { state: 'fully refunded', codes: ['507', '505', '505', '515'] },
  { state: 'reversed', codes: ['510', '510', '510', '510'] },
]

suite('the answers of an order in each state (O6, O7, O8)', () => {
  for (const { state, codes } of ROWS) {
    test(`${state}: capture ${codes[0]}, void ${codes[1]}, void of captures ${codes[2]}, refund ${codes[3]}`, async () => {
      const make = STATES[state]
      const found = [
        (await shop().capture({ orderId: await make(), amount: '1' })).service.code,
        (await shop().void({ orderId: await make() })).service.code,
        (await shop().captureVoid({ orderId: await make() })).service.code,
        (await shop().refund({ orderId: await make(), amount: '1' })).service.code,
      ]
      assert.deepEqual(found, codes)
    })
  }
})

suite('captures (O6)', () => {
  test('partial captures add up to the approved amount and not above it', async () => {
    const orderId = await authorized('40')
    const first = await shop().capture({ orderId, amount: '25' })
    assert.equal(outcome(first), 'APPROVED 0/100')
    assert.equal(`${first.value} ${first.valueSettled} ${first.orderId}`, `25 25 ${orderId}`)
    assert.equal(outcome(await shop().capture({ orderId, amount: '15.01' })), 'DECLINED 0/506')
    const last = await shop().capture({ orderId, amount: '15' })
    assert.notEqual(last.transactionId, first.transactionId)
    assert.equal(outcome(await shop().capture({ orderId, amount: '0.01' })), 'DECLINED 0/507')
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 4000, captured 4000, voided 0, refunded 0',
    )
  })

  test('LI_VALUE_1 is required, zero is 565, letters are 112', async () => {
    const orderId = await authorized('10')
    assert.equal(outcome(await shop().capture({ orderId })), 'REFUSED 110/0 LI_VALUE_1')
    assert.equal(outcome(await shop().capture({ orderId, amount: '0' })), 'DECLINED 0/565')
    assert.equal(
      outcome(await shop().capture({ orderId, amount: '1x' })),
      'REFUSED 112/0 LI_VALUE_1',
    )
  })

  test('a named line limits the capture, keeps its id, and must be of the order', async () => {
    const lines = [
      { amount: '10', productId: 'a' },
      { amount: '5', productId: 'b' },
    ]
    const answer = await shop().authorize({ cardNumber: VISA, expiry: EXPIRY, lines })
    const { orderId } = answer
    const lineId = answer.lines[1]?.lineId ?? ''
    assert.equal(
      outcome(await shop().capture({ orderId, lineId, amount: '5.01' })),
      'DECLINED 0/506',
    )
    const captured = await shop().capture({ orderId, lineId, amount: '5' })
    assert.equal(outcome(captured), 'APPROVED 0/100')
    assert.deepEqual(captured.lines, [
      { lineId, count: '1', amount: '5.00', productId: 'b', membershipId: '' },
    ])
    assert.equal(outcome(await shop().capture({ orderId, lineId, amount: '1' })), 'DECLINED 0/507')

    const other = await authorized('10')
    const strange = await shop().capture({ orderId: other, lineId, amount: '1' })
    assert.match(outcome(strange), /^REFUSED 119\/0/)
    const alone = await shop().capture({
      orderId: '',
      amount: '1',
      more: { REQUEST_REF_PO_LI_ID: lineId },
    })
    assert.match(outcome(alone), /^REFUSED 113\/0/)
  })

  test('twenty captures at once never exceed the authorized amount', async () => {
    const orderId = await authorized('10')
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => shop().capture({ orderId, amount: '3' })),
    )
    assert.equal(answers.filter(({ approved }) => approved).length, 3)
    assert.match(await moneyOf(gateway, orderId), /captured 900,/)
  })
})

suite('refunds (O7)', () => {
  test('a captured amount can be refunded in parts, and not beyond its total', async () => {
    const orderId = await authorized('40')
    await shop().capture({ orderId, amount: '10' })
    assert.equal(outcome(await shop().refund({ orderId, amount: '10.01' })), 'DECLINED 0/516')
    const part = await shop().refund({ orderId, amount: '4' })
    assert.equal(`${outcome(part)} ${part.value} ${part.valueSettled}`, 'APPROVED 0/100 -4 -4')
    assert.equal(part.lines[0]?.amount, '-4.00')
    assert.equal(outcome(await shop().refund({ orderId, amount: '6' })), 'APPROVED 0/100')
    assert.equal(outcome(await shop().refund({ orderId, amount: '1' })), 'DECLINED 0/515')
  })

  test('a refund shows a line of its own', async () => {
    const sale = await shop().sale(payment('10'))
    const refund = await shop().refund({ orderId: sale.orderId, amount: '1' })
    assert.notEqual(refund.lines[0]?.lineId, sale.lines[0]?.lineId)
  })

  test('twenty refunds at once never exceed the captured amount', async () => {
    const orderId = await sold('10')
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, () => shop().refund({ orderId, amount: '3' })),
    )
    assert.equal(answers.filter(({ approved }) => approved).length, 3)
    assert.match(await moneyOf(gateway, orderId), /refunded 900$/)
  })
})

suite('voids (O8)', () => {
  test('a void without an amount voids authorization and captures, and TRANS_VALUE is minus the whole amount', async () => {
    const orderId = await authorized('10')
    await shop().capture({ orderId, amount: '4' })
    const answer = await shop().void({ orderId })
    assert.equal(`${outcome(answer)} ${answer.value}`, 'APPROVED 0/100 -10')
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 1000, captured 0, voided 1000, refunded 0',
    )
  })

  test('an order with refunds keeps its captures', async () => {
    const orderId = await authorized('10')
    await shop().capture({ orderId, amount: '4' })
    await shop().refund({ orderId, amount: '1' })
    assert.equal((await shop().void({ orderId })).value, '-6')
  })

  test('a void with an amount releases only of the uncaptured rest, until none is left', async () => {
    const orderId = await authorized('10')
    await shop().capture({ orderId, amount: '4' })
    assert.equal((await shop().void({ orderId, amount: '2' })).value, '-2')
    assert.equal(outcome(await shop().void({ orderId, amount: '4.01' })), 'DECLINED 0/565')
    assert.equal((await shop().void({ orderId, amount: '4' })).value, '-4')
    assert.equal(outcome(await shop().void({ orderId, amount: '1' })), 'DECLINED 0/505')
  })

  test('CCREVERSECAP with an amount voids that much of the captures', async () => {
    const orderId = await authorized('10')
    await shop().capture({ orderId, amount: '4' })
    await shop().capture({ orderId, amount: '3' })
    assert.equal((await shop().captureVoid({ orderId, amount: '5' })).value, '-5')
    assert.equal(outcome(await shop().captureVoid({ orderId, amount: '2.01' })), 'DECLINED 0/565')
    assert.equal((await shop().captureVoid({ orderId })).value, '-2')
  })

  test('CREDIT_ON_FAIL refunds a sale that cannot be voided, and answers with CCCREDIT', async () => {
    const orderId = await sold('10')
    await closeBatch(gateway)
    assert.equal(outcome(await shop().void({ orderId })), 'DECLINED 0/525')
    const part = await shop().void({ orderId, amount: '4', refundOnFail: true })
    assert.equal(`${outcome(part)} ${part.action} ${part.value}`, 'APPROVED 0/100 CCCREDIT -4')
    const rest = await shop().captureVoid({ orderId, refundOnFail: true })
    assert.equal(`${rest.action} ${rest.value}`, 'CCCREDIT -6')
    assert.equal(outcome(await shop().void({ orderId, refundOnFail: true })), 'DECLINED 0/515')
  })

  test('CREDIT_ON_FAIL with an amount refunds a sale of an open batch in part', async () => {
    const orderId = await sold('10')
    const answer = await shop().void({ orderId, amount: '4', refundOnFail: true })
    assert.equal(`${answer.action} ${answer.value}`, 'CCCREDIT -4')
  })
})

test('A7: a refused adjustment names no order, transaction or amount and has no lines', async () => {
  const answer = await shop().refund({ orderId: await authorized('10'), amount: '1' })
  assert.equal(answer.status, 'DECLINED')
  for (const name of ['PO_ID', 'TRANS_ID', 'TRANS_VALUE']) assert.equal(answer.raw[name], '')
  assert.deepEqual(answer.lines, [])
})

test("A11: another merchant's order is answered like one that does not exist", async () => {
  const orderId = await authorized('10')
  const other = gateway.client(1002)
  const strip = ({ raw }: { raw: object }) => ({ ...raw, REQ_ID: '' })
  for (const action of ['capture', 'refund', 'void', 'captureVoid'] as const) {
    const foreign = await other[action]({ orderId, amount: '1' })
    const missing = await other[action]({ orderId: '599999', amount: '1' })
    assert.equal(foreign.service.code, '512')
    assert.deepEqual(strip(foreign), strip(missing))
  }
  assert.deepEqual(
    strip(await other.status({ orderId })),
    strip(await other.status({ orderId: '599999' })),
  )
})

test('O9: the status of an order has its events, by either name', async () => {
  const orderReference = newReference()
  const { orderId } = await shop().authorize(payment('40', { orderReference }))
  await shop().capture({ orderId, amount: '25' })
  await shop().refund({ orderId, amount: '5' })
  for (const name of [{ orderId }, { orderReference }]) {
    const { events } = await shop().status(name)
    assert.deepEqual(
      events?.map((event) => [
        event['REQUEST_ACTION'],
        event['TRANS_STATUS_NAME'],
        event['TRANS_VALUE'],
      ]),
      [
        ['CCAUTHORIZE', 'APPROVED', 40],
        ['CCCAPTURE', 'APPROVED', 25],
        ['CCCREDIT', 'APPROVED', -5],
      ],
    )
  }
  assert.equal((await shop().status({ orderReference: newReference() })).service.code, '512')
})

test('O14: an authorization that is too old is released at the bank and captures get 505', async () => {
  const orderId = await authorized('10')
  await shop().capture({ orderId, amount: '4' })
  await gateway.pool.query(
    `update orders set expires_at = now() - interval '1 second' where id = $1`,
    [orderId],
  )
  assert.equal(outcome(await shop().capture({ orderId, amount: '1' })), 'DECLINED 0/505')
  await untilRow(
    gateway,
    'the rest is released and the bank has said so',
    `select 1 from orders o join advices a on a.order_id = o.id
      where o.id = $1 and o.released_at is not null
        and a.kind = 'reversal' and a.state = 'acknowledged'`,
    [orderId],
  )
  assert.equal(
    await moneyOf(gateway, orderId),
    'authorized 1000, captured 400, voided 600, refunded 0',
  )
  assert.equal(outcome(await shop().refund({ orderId, amount: '4' })), 'APPROVED 0/100')
})
