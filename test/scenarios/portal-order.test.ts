import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { createOrderReader } from '../../packages/gateway/src/adapters/postgres/payments/order-reader.ts'
import { systemClock } from '../../packages/gateway/src/base/clock.ts'
import { describeOperation } from '../../packages/gateway/src/http/payment/operation-parameters.ts'
import { createOperationStore } from '../../packages/gateway/src/portal/order/store/operation-store.ts'
import { INTERRUPTED } from '../../packages/gateway/src/portal/order/usecases/operation-answer.ts'
import { createOperations } from '../../packages/gateway/src/portal/order/usecases/operations.ts'
import { statusOf } from '../../packages/gateway/src/portal/shell/portal-route.ts'
import {
  closeBatch,
  moneyOf,
  payment,
  postForm,
  untilNoAdviceIsQueued,
  untilRow,
  MASTERCARD,
} from '../support/payments.ts'
import {
  addPortalUser,
  signIn,
  OTHER_OWNER,
  type PortalAnswer,
  type SignedInUser,
} from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { newToken } from '../support/tokens.ts'

const key = (): string => randomBytes(16).toString('hex')
const ALL = null

suite('orders in the portal', () => {
  let gateway: RunningGateway
  let owner: SignedInUser
  before(async () => {
    gateway = await startRunningGateway()
    owner = await signIn(gateway)
  })
  after(() => gateway?.stop())

  const recoverForgotten = (): Promise<void> =>
    createOperations({
      operations: createOperationStore(gateway.pool),
      clock: systemClock,
      nextRequestId: () => 0n,
      findTransaction: createOrderReader(gateway.pool, () => '').findTransaction,
      logRequest: () => undefined,
      describeOperation,
      statusOf,
      digest: (text) => text,
      pause: () => Promise.resolve(),
    }).recoverForgotten()

  const authorize = async (amount: string, more = {}): Promise<string> =>
    (await gateway.client().authorize(payment(amount, more))).orderId
  const sell = async (amount: string, more = {}): Promise<string> =>
    (await gateway.client().sale(payment(amount, more))).orderId
  const read = async (orderId: string, user = owner): Promise<PortalAnswer['body']> => {
    const { status, body } = await user.get(`/orders/${orderId}`)
    assert.equal(status, 200)
    return body
  }
  const adjust = async (
    orderId: string,
    path: string,
    amount: string | null,
    more: {
      readonly user?: SignedInUser
      readonly key?: string
      readonly lineId?: string
      readonly seen?: unknown
    } = {},
  ): Promise<PortalAnswer> => {
    const { user = owner, seen = (await read(orderId, user)).seen, ...rest } = more
    return user.post(`/orders/${orderId}/${path}`, { key: key(), amount, seen, ...rest })
  }

  test('an order is shown with its money, its card and all that happened to it', async () => {
    const orderId = await authorize('30.00')
    await gateway.client().capture({ orderId, amount: '10.00' })
    await gateway.client().refund({ orderId, amount: '4.00' })
    await untilNoAdviceIsQueued(gateway)

    const order = await read(orderId)
    assert.equal(order.status.word, 'partly_refunded')
    assert.deepEqual(order.money, {
      requestedMinor: '3000',
      authorizedMinor: '3000',
      capturedMinor: '1000',
      leftToCaptureMinor: '2000',
      voidedMinor: '0',
      refundedMinor: '400',
      leftToRefundMinor: '600',
      inFlightMinor: '0',
    })
    assert.equal(`${order.card.brand} ${order.card.last4}`, 'Visa 1111')
    assert.equal(order.checks.avs.code, 'M')
    const money = order.timeline.filter(({ kind }: { kind: string }) => kind === 'money')
    assert.deepEqual(
      money.map((event: Record<string, string>) => `${event['title']} ${event['amountMinor']}`),
      ['Authorization 3000', 'Capture 1000', 'Refund 400'],
    )
    // An authorization is in no batch.
    const inBatch = money.filter(({ facts }: { facts: readonly [string, string][] }) =>
      facts.some(([name]) => name === 'Batch'),
    )
    assert.deepEqual(
      inBatch.map(({ title }: { title: string }) => title),
      ['Capture', 'Refund'],
    )
    const listed = await owner.get(`/transactions?q=order:${orderId}&sort=oldest`)
    assert.deepEqual(
      listed.body.rows.map(({ batch }: { batch: string | null }) => batch !== null),
      [false, true, true],
    )
    assert.deepEqual(
      order.ledger
        .map(({ kind, amountMinor }: Record<string, string>) => `${kind} ${amountMinor}`)
        .slice(0, 1),
      ['authorization 3000'],
    )
    assert.ok(
      order.timeline.some(
        ({ title, state }: Record<string, string>) =>
          title === 'Refund sent to bank' && state === 'acknowledged',
      ),
    )
    assert.ok(!JSON.stringify(order).includes('4111111111111111'))
  })

  test('the reversals of a voided sale name what each of them reverses', async () => {
    const orderId = await sell('12.12')
    await gateway.client().void({ orderId })
    await untilNoAdviceIsQueued(gateway)
    const { timeline } = await read(orderId)
    const sent = timeline.filter(({ kind }: { kind: string }) => kind === 'bank')
    assert.deepEqual(
      sent.map((event: Record<string, string>) => `${event['title']} ${event['amountMinor']}`),
      [
        'Capture sent to bank 1212',
        'Reversal of the capture sent to bank 1212',
        'Reversal of the authorization sent to bank 1212',
      ],
    )
  })

  test('the request is shown as it was masked, and the answer as a repeat of it is answered', async () => {
    const { text } = await postForm(gateway, {
      REQUEST_ACTION: 'CCAUTHCAP',
      REQUEST_RESPONSE_FORMAT: 'JSON',
      PMT_NUMB: '4111111111111111',
      PMT_EXPIRY: '122040',
      LI_VALUE_1: '12.34',
      REQUEST_CURRENCY: 'USD',
      XTL_ORDER_ID: 'shown-again',
    })
    const { PO_ID: orderId, TRANS_ID: transactionId, REQ_ID: requestId } = JSON.parse(text)
    await untilRow(gateway, 'the request is logged', 'select 1 from requests where id = $1', [
      requestId,
    ])

    const { status, body } = await owner.get(
      `/orders/${orderId}/transactions/${transactionId}/exchange`,
    )
    assert.equal(status, 200)
    assert.equal(body.request.parameters.PMT_NUMB, '411111******1111')
    assert.equal(body.answer.format, 'JSON')
    assert.deepEqual(JSON.parse(body.answer.text), JSON.parse(text))
    assert.equal((await read(orderId)).card.bin, '411111')
  })

  test('the order of another merchant is answered as one that is not there', async () => {
    const orderId = await sell('5.55')
    const otherOwner = await signIn(gateway, OTHER_OWNER)
    const seen = (await read(orderId)).seen

    const foreign = await otherOwner.get(`/orders/${orderId}`)
    const missing = await otherOwner.get('/orders/999999999')
    assert.equal(foreign.status, 404)
    assert.equal(foreign.text, missing.text)
    for (const path of ['captures', 'voids', 'refunds']) {
      assert.equal(
        (await otherOwner.post(`/orders/${orderId}/${path}`, { key: key(), amount: ALL, seen }))
          .status,
        404,
      )
    }
    assert.equal(
      (await otherOwner.post(`/orders/${orderId}/charges`, { key: key(), amount: '1.00' })).status,
      404,
    )
    assert.equal(
      (await otherOwner.post(`/orders/${orderId}/notes`, { key: key(), text: 'hello' })).status,
      404,
    )
    assert.equal((await otherOwner.get(`/orders/${orderId}/transactions/1/exchange`)).status, 404)
  })

  test('the order, the request log and the audit log name the portal user of a capture, void or refund', async () => {
    const portalUser = await addPortalUser(gateway, 'finance')
    const user = await signIn(gateway, portalUser)
    const orderId = await authorize('30.00')

    assert.equal(
      (await adjust(orderId, 'captures', '12.00', { user })).body.sentence,
      '12.00 USD captured.',
    )
    assert.equal(
      (await adjust(orderId, 'refunds', '2.00', { user })).body.sentence,
      '2.00 USD refunded.',
    )
    assert.equal(
      (await adjust(orderId, 'voids', '18.00', { user })).body.sentence,
      '18.00 USD voided.',
    )

    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 3000, captured 1200, voided 1800, refunded 200',
    )
    const { timeline } = await read(orderId)
    const operations = timeline.filter(
      ({ who }: { who: { name: string } | null }) => who?.name === 'Pat finance',
    )
    assert.deepEqual(
      operations.map(({ title }: { title: string }) => title),
      ['Capture', 'Refund', 'Void'],
    )
    await untilRow(
      gateway,
      'the void is in the request log',
      `select 1 from requests where username = $1 and action = 'CCREVERSE' and order_id = $2`,
      [portalUser.email, orderId],
    )
    const { rows } = await gateway.pool.query(
      'select operation, object, result from audit_entries where actor = $1 order by number',
      [`portal:${portalUser.email}`],
    )
    assert.deepEqual(
      rows
        .filter(({ operation }) => String(operation).startsWith('order.'))
        .map(({ operation, object, result }) => `${operation} ${object} ${result}`),
      [
        `order.captured order ${orderId} done`,
        `order.refunded order ${orderId} done`,
        `order.voided order ${orderId} done`,
      ],
    )
  })

  test('a line is refunded up to its own amount', async () => {
    const { amount: _, ...card } = payment('0')
    const sale = await gateway
      .client()
      .sale({ ...card, lines: [{ amount: '10.00' }, { amount: '7.00' }] })
    const { lines } = await read(sale.orderId)
    const second = lines[1]
    if (second === undefined) return assert.fail('the order has one line only')

    const tooMuch = await adjust(sale.orderId, 'refunds', '7.01', { lineId: second.id })
    assert.equal(`${tooMuch.status} ${tooMuch.body.error.code}`, '409 refund_exceeds')
    assert.equal((await adjust(sale.orderId, 'refunds', '7.00', { lineId: second.id })).status, 200)
    assert.equal((await read(sale.orderId)).lines[1].leftToRefundMinor, '0')
  })

  test('an amount with more decimals than its currency is refused before anything is written', async () => {
    const orderId = await sell('9.00')

    for (const amount of ['1.234', '1,50', '-1', '1e2', ' 1.00x']) {
      const { status, body } = await adjust(orderId, 'refunds', amount)
      assert.equal(`${status} ${body.error.field}`, '400 amount', amount)
    }
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 900, captured 900, voided 0, refunded 0',
    )
  })

  test('a card number in the field of an amount or a line is not said again, and not kept', async () => {
    const orderId = await sell('3.21')
    const number = '4111111111111111'
    const amount = await adjust(orderId, 'refunds', number)
    const line = await adjust(orderId, 'refunds', '1.00', { lineId: number })
    assert.deepEqual([amount.status, line.status], [400, 400])
    assert.ok(!amount.text.includes(number))
    await untilRow(
      gateway,
      'the refund is in the request log',
      `select 1 from requests where parameters->>'REQUEST_REF_PO_LI_ID' = '[removed]'`,
      [],
    )
  })

  test('a refund that is sent twice is made once, and answered alike', async () => {
    const orderId = await sell('20.00')
    const { seen } = await read(orderId)
    const body = { key: key(), amount: '5.00', seen }

    const [first, second] = await Promise.all([
      owner.post(`/orders/${orderId}/refunds`, body),
      owner.post(`/orders/${orderId}/refunds`, body),
    ])
    const third = await owner.post(`/orders/${orderId}/refunds`, body)
    assert.equal(first.status, 200)
    assert.equal(second.text, first.text)
    assert.equal(third.text, first.text)
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 2000, captured 2000, voided 0, refunded 500',
    )
    const other = await owner.post(`/orders/${orderId}/refunds`, { ...body, amount: '6.00' })
    assert.equal(`${other.status} ${other.body.error.code}`, '409 key_reused')
  })

  test('of two users who refund the rest at once one succeeds, and the other gets the name of the first', async () => {
    const portalUsers = await Promise.all([
      addPortalUser(gateway, 'support'),
      addPortalUser(gateway, 'support'),
    ])
    const users = await Promise.all(portalUsers.map((portalUser) => signIn(gateway, portalUser)))
    const orderId = await sell('40.00')
    const { seen } = await read(orderId)

    const answers = await Promise.all(
      users.map((user) => adjust(orderId, 'refunds', '40.00', { user, seen })),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409])
    const refused = answers.find(({ status }) => status === 409)
    assert.equal(refused?.body.error.code, 'changed')
    assert.match(refused?.body.error.message, /refund of 40\.00 USD by Pat support/)
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 4000, captured 4000, voided 0, refunded 4000',
    )
  })

  test('a refusal that an earlier version stored with its status is answered alike', async () => {
    const limited = await addPortalUser(gateway, 'support', {
      refundLimit: { minor: 1n, currency: 'USD' },
    })
    const user = await signIn(gateway, limited)
    const orderId = await sell('20.00')
    const { seen } = await read(orderId, user)
    const more = { user, seen, key: key() }

    const first = await adjust(orderId, 'refunds', '5.00', more)
    assert.equal(`${first.status} ${first.body.error.code}`, '403 refund_limit')
    const { rowCount } = await gateway.pool.query(
      `update portal_operations set result = (result::jsonb - 'cause') || '{"status": 403}' where key = $1`,
      [more.key],
    )
    assert.equal(rowCount, 1)
    const second = await adjust(orderId, 'refunds', '5.00', more)
    assert.equal(`${second.status} ${second.text}`, `403 ${first.text}`)
  })

  test('a refusal is stored in the form of earlier versions, and their rows are answered word for word', async () => {
    const orderId = await sell('20.00')
    const { seen } = await read(orderId)
    const more = { seen, key: key() }
    const first = await adjust(orderId, 'refunds', '20.01', more)
    assert.equal(`${first.status} ${first.body.error.code}`, '409 refund_exceeds')
    const { rows } = await gateway.pool.query(
      'select result from portal_operations where key = $1',
      [more.key],
    )
    assert.deepEqual(rows, [
      {
        result: {
          kind: 'refused',
          cause: 'conflict',
          code: 'refund_exceeds',
          sentence: 'This is more than is left to refund.',
          field: null,
          service: 516,
        },
      },
    ])

    const earlier = {
      kind: 'refused',
      cause: 'invalid',
      code: 'line',
      sentence: 'The line is not one of this order.',
      field: 'lineId',
      service: 0,
    }
    await gateway.pool.query('update portal_operations set result = $2 where key = $1', [
      more.key,
      JSON.stringify(earlier),
    ])
    const { status, body } = await adjust(orderId, 'refunds', '20.01', more)
    assert.equal(status, 400)
    const { code, message, field } = body.error
    assert.deepEqual(
      { code, message, field },
      { code: 'line', message: 'The line is not one of this order.', field: 'lineId' },
    )
  })

  test('a refund by outdated sums is refused, although its amount would still fit', async () => {
    const orderId = await sell('40.00')
    const { seen } = await read(orderId)
    await gateway.client().refund({ orderId, amount: '1.00' })

    const { status, body } = await adjust(orderId, 'refunds', '10.00', { seen })
    assert.equal(`${status} ${body.error.code}`, '409 changed')
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 4000, captured 4000, voided 0, refunded 100',
    )
  })

  test('a refund limit covers all that a portal user returns of an order, by refund or by void', async () => {
    const user = await signIn(
      gateway,
      await addPortalUser(gateway, 'support', { refundLimit: { minor: 1_000n, currency: 'USD' } }),
    )
    const orderId = await sell('40.00')

    assert.equal(
      (await adjust(orderId, 'refunds', '10.01', { user })).body.error.code,
      'refund_limit',
    )
    assert.equal((await adjust(orderId, 'refunds', '6.00', { user })).status, 200)
    const { status, body } = await adjust(orderId, 'refunds', '4.01', { user })
    assert.equal(`${status} ${body.error.code}`, '403 refund_limit')
    assert.match(body.error.message, /already returned 6\.00 USD/)
    assert.equal(
      (await adjust(orderId, 'capture-voids', '5.00', { user })).body.error.code,
      'refund_limit',
    )
    const { allowance } = await read(orderId, user)
    assert.deepEqual([allowance.refundMinor, allowance.voidOrRefundMinor], ['400', '400'])
    assert.match(allowance.sentence, /up to 10\.00 USD .*returned 6\.00 USD .*Ask a user/)
    assert.equal((await read(orderId)).allowance, null)
    assert.equal((await adjust(orderId, 'refunds', '4.00', { user })).status, 200)

    const euros = await sell('2.00', { currency: 'EUR' })
    assert.equal((await adjust(euros, 'refunds', '1.00', { user })).body.error.code, 'refund_limit')
    const held = await authorize('99.00')
    assert.equal((await adjust(held, 'voids', ALL, { user })).status, 200)
  })

  test('roles do what they may, and nothing else', async () => {
    const orderId = await authorize('10.00')
    const may = async (
      role: 'support' | 'read_only' | 'developer',
      path: string,
      amount: string | null,
    ): Promise<number> => {
      const user = await signIn(gateway, await addPortalUser(gateway, role))
      const seen = (await read(orderId, user)).seen
      return (await user.post(`/orders/${orderId}/${path}`, { key: key(), amount, seen })).status
    }

    assert.equal(await may('support', 'captures', '1.00'), 403)
    for (const path of ['captures', 'voids', 'refunds', 'capture-voids'])
      assert.equal(await may('read_only', path, ALL), 403)
    assert.equal(await may('developer', 'refunds', ALL), 403)
    assert.equal(await may('support', 'voids', '1.00'), 200)
  })

  test('a void or refund voids what can be voided and refunds the rest, as its plan stated', async () => {
    const orderId = await authorize('50.00')
    await gateway.client().capture({ orderId, amount: '20.00' })
    await untilNoAdviceIsQueued(gateway)
    await closeBatch(gateway)
    await gateway.client().capture({ orderId, amount: '15.00' })
    const order = await read(orderId)
    assert.deepEqual(
      order.voidOrRefund.steps.map(({ does, minor }: Record<string, string>) => `${does} ${minor}`),
      ['void 1500', 'capture_void 1500', 'refund 2000'],
    )

    const part = await owner.get(`/orders/${orderId}/void-or-refund?amount=16.00`)
    assert.deepEqual(
      part.body.steps.map(({ does, minor }: Record<string, string>) => `${does} ${minor}`),
      ['void 1500', 'capture_void 100'],
    )
    const sent = {
      key: key(),
      currency: 'USD',
      seen: order.seen,
      steps: order.voidOrRefund.steps.map(({ does, minor, whole }: Record<string, unknown>) => ({
        does,
        minor,
        whole,
      })),
    }
    const returned = await owner.post(`/orders/${orderId}/void-or-refund`, sent)
    assert.deepEqual(
      returned.body.steps.map(({ sentence }: { sentence: string }) => sentence),
      ['15.00 USD voided.', '15.00 USD voided.', '20.00 USD refunded.'],
    )
    assert.equal((await owner.post(`/orders/${orderId}/void-or-refund`, sent)).text, returned.text)
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 5000, captured 2000, voided 3000, refunded 2000',
    )
  })

  test('a void or refund reports the completed steps and the refusal that ended it', async () => {
    const orderId = await sell('20.00')
    const { seen } = await read(orderId)
    const step = (minor: string) => ({ does: 'refund', minor, whole: false })
    const sent = { key: key(), currency: 'USD', seen, steps: [step('500'), step('1501')] }

    const returned = await owner.post(`/orders/${orderId}/void-or-refund`, sent)
    assert.equal(returned.status, 200)
    const [done, refused] = returned.body.steps
    assert.equal(`${done.kind}: ${done.sentence}`, 'done: 5.00 USD refunded.')
    assert.equal('ok' in done, false)
    assert.deepEqual(refused, {
      kind: 'refused',
      cause: 'conflict',
      code: 'refund_exceeds',
      sentence: 'This is more than is left to refund.',
      field: null,
      service: 516,
    })
    assert.deepEqual(
      (await owner.post(`/orders/${orderId}/void-or-refund`, sent)).body,
      returned.body,
    )
  })

  test('a void or refund of a sale in an open batch is one void of all of it', async () => {
    const orderId = await sell('8.00')
    const { voidOrRefund, seen } = await read(orderId)
    assert.deepEqual(
      voidOrRefund.steps.map(({ does, whole }: Record<string, unknown>) => [does, whole]),
      [['void', true]],
    )

    const { body } = await owner.post(`/orders/${orderId}/void-or-refund`, {
      key: key(),
      currency: 'USD',
      seen,
      steps: voidOrRefund.steps.map(({ does, minor, whole }: Record<string, unknown>) => ({
        does,
        minor,
        whole,
      })),
    })
    assert.equal(body.steps[0].sentence, '8.00 USD voided.')
    assert.equal((await read(orderId)).status.word, 'voided')
  })

  test('a repeated operation whose gateway died returns the result that it left, or fails if it left none', async () => {
    const orderId = await sell('11.00')
    const { seen } = await read(orderId)
    const done = { key: key(), amount: '3.00', seen }
    const first = await owner.post(`/orders/${orderId}/refunds`, done)
    // As if the process had died before it wrote down what came of it, and long ago.
    await gateway.pool.query(
      `update portal_operations set state = 'begun', result = null, ended_at = null, begun_at = now() - interval '1 hour' where key = $1`,
      [done.key],
    )
    assert.equal((await owner.post(`/orders/${orderId}/refunds`, done)).text, first.text)

    const after = await read(orderId)
    const lost = { key: key(), amount: '99.00', seen: after.seen }
    await owner.post(`/orders/${orderId}/refunds`, lost)
    await gateway.pool.query(
      `update portal_operations set state = 'begun', result = null, ended_at = null, begun_at = now() - interval '1 hour' where key = $1`,
      [lost.key],
    )
    const gone = await owner.post(`/orders/${orderId}/refunds`, lost)
    assert.equal(`${gone.status} ${gone.body.error.code}`, '409 interrupted')
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 1100, captured 1100, voided 0, refunded 300',
    )
  })

  test('another gateway ends the operations of a dead one, and the audit log has their entries', async () => {
    const orderId = await sell('12.00')
    const { seen } = await read(orderId)
    const [done, lost] = [key(), key()]
    await owner.post(`/orders/${orderId}/refunds`, { key: done, amount: '2.00', seen })
    await owner.post(`/orders/${orderId}/refunds`, { key: lost, amount: '99.00', seen })
    const entries = async (): Promise<number> =>
      Number(
        (
          await gateway.pool.query(`select count(*) from audit_entries where object = $1`, [
            `order ${orderId}`,
          ])
        ).rows[0].count,
      )
    const before = await entries()
    // From here on the gateway's own job may be quicker.
    await gateway.pool.query(
      'update portal_operations set state = $1, result = null, ended_at = null, begun_at = now() - $2::interval where key = any($3)',
      ['begun', '1 hour', [done, lost]],
    )

    await recoverForgotten()
    const { rows } = await gateway.pool.query(
      'select state from portal_operations where key = any($1) order by id',
      [[done, lost]],
    )
    assert.deepEqual(
      rows.map(({ state }) => state),
      ['done', 'interrupted'],
    )
    assert.equal(await entries(), before + 2)
    assert.equal(
      await moneyOf(gateway, orderId),
      'authorized 1200, captured 1200, voided 0, refunded 200',
    )
  })

  test('a note stays as it was written, once, and holds no card number', async () => {
    const orderId = await sell('3.00')
    const note = { key: key(), text: 'The customer called.' }

    assert.equal((await owner.post(`/orders/${orderId}/notes`, note)).status, 200)
    assert.equal((await owner.post(`/orders/${orderId}/notes`, note)).status, 200)
    const other = await owner.post(`/orders/${orderId}/notes`, {
      ...note,
      text: 'She called again.',
    })
    assert.deepEqual([other.status, other.body.error.code], [409, 'key_reused'])
    const pasted = await owner.post(`/orders/${orderId}/notes`, {
      key: key(),
      text: 'Her card is 4111 1111 1111 1111.',
    })
    assert.equal(`${pasted.status} ${pasted.body.error.code}`, '400 card_number')
    const notes = (await read(orderId)).timeline.filter(
      ({ kind }: { kind: string }) => kind === 'note',
    )
    assert.deepEqual(
      notes.map(({ text, who }: Record<string, { name: string }>) => [text, who?.name]),
      [['The customer called.', owner.session.portalUser.name]],
    )
    await assert.rejects(gateway.pool.query('update order_notes set text = text'), /append-only/)
    const { rows } = await gateway.pool.query(
      'select operation, result from audit_entries where object = $1',
      [`order ${orderId}`],
    )
    assert.deepEqual(rows, [{ operation: 'order.noted', result: 'done' }])
  })

  test('a saved card is charged again once it was said that it looks the same', async () => {
    const orderId = await sell('23.45', { cardNumber: MASTERCARD })
    const asked = { key: key(), amount: '23.45' }

    const warned = await owner.post(`/orders/${orderId}/charges`, asked)
    assert.equal(
      `${warned.status} ${warned.body.kind} ${warned.body.earlier.orderId}`,
      `200 duplicate ${orderId}`,
    )
    const [first, second] = await Promise.all(
      [1, 2].map(() => owner.post(`/orders/${orderId}/charges`, { ...asked, duplicateOk: true })),
    )
    assert.equal(first?.body.sentence, '23.45 USD charged.')
    assert.equal(second?.text, first?.text)
    assert.notEqual(first?.body.orderId, orderId)
    assert.equal(
      await moneyOf(gateway, first?.body.orderId),
      'authorized 2345, captured 2345, voided 0, refunded 0',
    )
    const { rows } = await gateway.pool.query(
      `select operation, result from audit_entries where object = $1`,
      [`order ${first?.body.orderId}`],
    )
    assert.deepEqual(
      rows.map(({ operation, result }) => `${operation} ${result}`),
      ['card.charged done'],
    )
  })

  suite('the virtual terminal', () => {
    const empty = { firstName: '', lastName: '', email: '', phone: '' }
    const billing = {
      street: '1 Main Street',
      street2: '',
      city: 'Springfield',
      state: 'IL',
      postalCode: '62701',
      country: 'US',
    }
    const pay = async (
      does: string,
      amount: string,
      more: Record<string, unknown> = {},
      user = owner,
    ): Promise<PortalAnswer> => {
      const { token } = await newToken(gateway.baseUrl, {
        securityCode: '123',
        ...(more['number'] === undefined ? {} : { cardNumber: String(more['number']) }),
      })
      const { number: _, ...rest } = more
      return user.post('/terminal/payments', {
        key: key(),
        does,
        siteId: '1001',
        currency: 'USD',
        lines: does === 'check' ? [] : [{ product: '', amount }],
        card: { kind: 'token', token, last4: '1111', expiryMonth: 12, expiryYear: 2040 },
        customer: empty,
        billing,
        ...rest,
      })
    }

    test('a card under a token is sold to, authorized and checked', async () => {
      assert.equal((await pay('sale', '61.01')).body.sentence, '61.01 USD charged.')
      assert.equal((await pay('authorization', '61.02')).body.sentence, '61.02 USD authorized.')
      assert.equal((await pay('check', '')).body.sentence, 'The card check was successful.')
      const declined = await pay('sale', '6.35')
      assert.equal(declined.body.state, 'declined')
      assert.equal(declined.body.refusal.retry, 'later')
      assert.match(declined.body.sentence, /insufficient funds/)
    })

    test('a payment that looks like an earlier one is asked about first', async () => {
      const first = await pay('sale', '62.01')
      const again = await pay('sale', '62.01')
      assert.equal(again.body.kind, 'duplicate')
      assert.equal(again.body.earlier.orderId, first.body.orderId)
      assert.equal((await pay('sale', '62.01', { duplicateOk: true })).body.state, 'approved')
    })

    test('a payment looks like an earlier one for 24 hours, and not longer', async () => {
      const first = await pay('sale', '62.02')
      const kindWhenAged = async (age: string): Promise<string> => {
        await gateway.pool.query(
          'update orders set created_at = now() - $2::interval where id = $1',
          [first.body.orderId, age],
        )
        return (await pay('sale', '62.02')).body.kind
      }
      assert.equal(await kindWhenAged('23 hours 59 minutes'), 'duplicate')
      assert.notEqual(await kindWhenAged('24 hours 1 minute'), 'duplicate')
    })

    test('a payment that looks like one whose bank has not answered yet is asked about as well', async () => {
      const first = pay('sale', '9100.15')
      await untilRow(
        gateway,
        'the bank is asked',
        `select from orders where requested_minor = 910015 and state = 'running'`,
      )
      const again = await pay('sale', '9100.15')
      assert.equal(again.body.kind, 'duplicate')
      assert.equal(again.body.earlier.amountMinor, '910015')
      assert.equal((await first).body.orderId, again.body.earlier.orderId)
    })

    test('a payment that is sent twice is made once', async () => {
      const same = {
        key: key(),
        card: {
          kind: 'token',
          token: (await newToken(gateway.baseUrl)).token,
          last4: '1111',
          expiryMonth: 12,
          expiryYear: 2040,
        },
      }
      const [first, second] = await Promise.all([
        pay('sale', '63.01', same),
        pay('sale', '63.01', same),
      ])
      assert.equal(first.status, 200, first.text)
      assert.equal(second.text, first.text)
      assert.equal((await pay('sale', '63.01', same)).text, first.text)
      const { rows } = await gateway.pool.query('select 1 from orders where requested_minor = 6301')
      assert.equal(rows.length, 1)
    })

    test('a payment whose gateway died before it answered is found by its ids', async () => {
      const same = {
        key: key(),
        card: {
          kind: 'token',
          token: (await newToken(gateway.baseUrl)).token,
          last4: '1111',
          expiryMonth: 12,
          expiryYear: 2040,
        },
      }
      const first = await pay('sale', '63.02', same)
      await gateway.pool.query(
        `update portal_operations set state = 'begun', result = null, ended_at = null, begun_at = now() - interval '1 hour' where key = $1`,
        [same.key],
      )
      assert.equal((await pay('sale', '63.02', same)).text, first.text)
      const { rows } = await gateway.pool.query('select 1 from orders where requested_minor = 6302')
      assert.equal(rows.length, 1)
    })

    test('a payment that was given up while its process was slow is not charged afterwards', async () => {
      const card = await gateway.client().sale(payment('1.12'))
      const { rows } = await gateway.pool.query(
        'select customer_id, payment_method_id from orders where id = $1',
        [card.orderId],
      )
      const [{ customer_id: customerId, payment_method_id: paymentMethodId }] = rows
      const same = key()
      const slow = await gateway.pool.connect()
      await slow.query('begin')
      await slow.query('lock table payment_methods in access exclusive mode')
      const paying = pay('sale', '63.03', {
        key: same,
        duplicateOk: true,
        card: { kind: 'saved', customerId, paymentMethodId },
      })
      await untilRow(
        gateway,
        'the operation is begun',
        'select 1 from portal_operations where key = $1',
        [same],
      )
      await gateway.pool.query(
        `update portal_operations set begun_at = now() - interval '1 hour' where key = $1`,
        [same],
      )
      await recoverForgotten()
      await slow.query('commit')
      slow.release()

      const answer = await paying
      assert.equal(`${answer.status} ${answer.body.error?.code}`, '409 interrupted')
      assert.equal(
        (await gateway.pool.query('select 1 from orders where requested_minor = 6303')).rowCount,
        0,
      )
      assert.equal(
        (
          await pay('sale', '63.03', {
            key: same,
            duplicateOk: true,
            card: { kind: 'saved', customerId, paymentMethodId },
          })
        ).text,
        answer.text,
      )
    })

    test('an operation is not given up once its payment is written', async () => {
      const same = key()
      await pay('sale', '63.04', { key: same })
      const operations = createOperationStore(gateway.pool)
      const { rows } = await gateway.pool.query(
        `update portal_operations set state = 'begun', result = null, ended_at = null where key = $1 returning id`,
        [same],
      )
      const { id } = await operations.find(BigInt(rows[0].id))
      await operations.interrupt(id, INTERRUPTED, {
        actor: 'portal:a@b.test',
        operation: 'card.charged',
        object: 'order 1',
        result: 'refused',
      })
      assert.equal((await operations.find(id)).state, 'begun')
    })

    test('saved cards are found by name, e-mail and last four, and charged', async () => {
      await gateway.client().sale(
        payment('1.11', {
          customer: { firstName: 'Ann', lastName: 'Terminal', email: 'ann@terminal.test' },
        }),
      )
      const find = async (text: string) =>
        (await owner.get(`/terminal/cards?site=1001&text=${encodeURIComponent(text)}`)).body
      const [byName] = await find('Ann Terminal')
      assert.equal(byName?.last4, '1111')
      assert.equal((await find('terminal'))[0]?.paymentMethodId, byName.paymentMethodId)
      assert.equal((await find('ANN@terminal.test'))[0]?.paymentMethodId, byName.paymentMethodId)
      assert.ok((await find('1111')).length > 0)
      assert.deepEqual(
        (await (await signIn(gateway, OTHER_OWNER)).get('/terminal/cards?site=1002&text=Terminal'))
          .body,
        [],
      )
      const ofCustomer = `/terminal/cards?site=1001&customer=${byName.customerId}`
      assert.deepEqual((await owner.get(ofCustomer)).body, [byName])
      assert.deepEqual(
        (await (await signIn(gateway, OTHER_OWNER)).get(ofCustomer.replace('1001', '1002'))).body,
        [],
      )

      const { body } = await pay('sale', '64.01', {
        card: {
          kind: 'saved',
          customerId: byName.customerId,
          paymentMethodId: byName.paymentMethodId,
        },
      })
      assert.equal(body.state, 'approved')
    })

    test('only sites of the merchant are signed for, and a site without a key says what to do', async () => {
      assert.match(
        (await owner.post('/terminal/signatures', { siteId: '1001' })).body.signature,
        /^[0-9a-f]{64}$/,
      )
      assert.equal((await owner.post('/terminal/signatures', { siteId: '1002' })).status, 404)
      const reader = await signIn(gateway, await addPortalUser(gateway, 'read_only'))
      assert.equal((await reader.post('/terminal/signatures', { siteId: '1001' })).status, 403)
      assert.equal((await pay('sale', '1.00', {}, reader)).status, 403)
    })

    test('a card number in another field is refused', async () => {
      const { status, body } = await pay('sale', '65.01', { reference: '4111111111111111' })
      assert.equal(`${status} ${body.error.field}`, '400 reference')
    })
  })
})
