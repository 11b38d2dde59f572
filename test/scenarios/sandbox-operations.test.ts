import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { TEST_VALUES } from '../../packages/bank/src/test-data/value-list.ts'
import { auditedAsDone } from '../support/audit.ts'
import { booksDifferences } from '../support/bank-books.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { eventsOf } from '../support/events.ts'
import { untilSeen } from '../support/eventually.ts'
import { MASTERCARD, outcome, payment, untilNoAdviceIsQueued } from '../support/payments.ts'
import { membershipOf, startMembership } from '../support/renewals.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { operation, type OperationAnswer } from '../support/sandbox-operations.ts'

suite('operations of the sandbox', () => {
  let gateway: RunningGateway
  before(async () => {
    gateway = await startRunningGateway()
  })
  after(() => gateway?.stop())

  const shop = () => gateway.client()
  const sell = (amount: string, words?: string) =>
    shop().sale(payment(amount, words === undefined ? {} : { more: { SANDBOX_TEST: words } }))

  async function done(name: string, members: Readonly<Record<string, unknown>> = {}) {
    const answer = await operation(gateway, name, members)
    assert.equal(answer.status, 200, JSON.stringify(answer))
    return answer
  }
  const codeOf = ({ error, status }: OperationAnswer): string => `${status} ${error?.code}`

  /** The types of events of an order, once one of them is there. */
  const untilEvent = async (orderId: string, type: string): Promise<void> => {
    await untilSeen(
      `order ${orderId} has the event ${type}`,
      () => eventsOf(gateway, `order ${orderId}`),
      (events) => events.some((event) => event.type === type),
    )
  }

  test('settle pays a sale, and rejects what an operation or a word of a test marked', async () => {
    const paid = await sell('20.00')
    const marked = await sell('30.00')
    const worded = await sell('40.00', 'settlement=rejected')
    const refund = await shop().refund({ orderId: paid.orderId, amount: '5.00' })
    await done('reject', { transaction: marked.transactionId })
    const { kind } = await done('reject', { transaction: refund.transactionId })
    assert.equal(kind, 'refund')

    const { files } = await done('settle')

    assert.equal((files as readonly object[]).length, 1)
    const { rows } = await gateway.pool.query<{ line: string }>(
      `select transaction_id || ' ' || state as line from settled_transactions
        order by transaction_id`,
    )
    assert.deepEqual(
      rows.map(({ line }) => line),
      [
        `${paid.transactionId} settled`,
        `${marked.transactionId} rejected`,
        `${worded.transactionId} rejected`,
        `${refund.transactionId} rejected`,
      ],
    )
    for (const { orderId } of [marked, worded]) await untilEvent(orderId, 'capture.rejected')
    await untilEvent(paid.orderId, 'refund.rejected')
    assert.equal(codeOf(await operation(gateway, 'settle')), '409 nothing_to_settle')
    const late = await operation(gateway, 'reject', { transaction: paid.transactionId })
    assert.equal(codeOf(late), '409 bank_refused')
    assert.match(late.error?.message ?? '', /is in settlement file 1 already/)
    await assertBooksAreClean(gateway)
    assert.deepEqual(await booksDifferences(gateway), [])
  })

  test('a closed batch takes no void any more', async () => {
    const { orderId } = await sell('10.00')

    const { batch, next_batch: next, state } = await done('close-batch')

    assert.equal(Number(next), Number(batch) + 1)
    assert.equal(state, 'ended')
    assert.equal(outcome(await shop().captureVoid({ orderId })), 'DECLINED 0/525')
    assert.equal(codeOf(await operation(gateway, 'close-batch')), '409 nothing_to_close')
    assert.deepEqual(await auditedAsDone(gateway.pool, ['sandbox.operated']), ['sandbox.operated'])
  })

  test('a dispute is opened, answered, rejected by the issuer, and won or lost at once', async () => {
    const { orderId } = await sell('50.00')
    const first = await done('dispute', { order: orderId, amount: '20.00', reason: '13.1' })
    assert.deepEqual([first['state'], first['amount']], ['chargeback', '20.00'])
    const { dispute } = first
    const contested = { dispute, answer: 'contest', text: 'It was delivered.' }
    assert.equal((await done('answer-dispute', contested))['state'], 'represented')
    const rejected = await done('decide-dispute', { dispute, issuer: 'rejects' })
    assert.equal(rejected['state'], 'pre_arbitration')
    const early = await operation(gateway, 'decide-dispute', { dispute, issuer: 'accepts' })
    assert.equal(codeOf(early), '409 bank_refused')
    assert.match(early.error?.message ?? '', /has no answer to decide about\. Contest it first/)
    await done('answer-dispute', contested)
    const accepted = await done('decide-dispute', { dispute, issuer: 'accepts' })
    assert.equal(accepted['state'], 'won')

    const second = await done('dispute', { order: orderId })
    assert.equal(second['amount'], '50.00')
    assert.equal((await done('lose-dispute', { dispute: second['dispute'] }))['state'], 'lost')
    assert.equal(outcome(await shop().refund({ orderId, amount: '1.00' })), 'DECLINED 0/511')
    assert.equal((await done('report-fraud', { order: orderId }))['state'], 'reported')
    const other = await done('dispute', { order: (await sell('9.00')).orderId, event: 'inquiry' })
    const inquiry = { dispute: other['dispute'] }
    assert.equal(codeOf(await operation(gateway, 'win-dispute', inquiry)), '409 bank_refused')
  })

  test('a card number in a member is refused or unknown, never kept and never repeated', async () => {
    const { orderId: order } = await sell('8.00')
    const { dispute } = await done('dispute', { order })
    for (const [name, members] of [
      ['dispute', { order, reason: MASTERCARD }],
      ['dispute', { order: MASTERCARD }],
      ['dispute', { [MASTERCARD]: 1 }],
      ['reject', { transaction: MASTERCARD }],
      ['settle', { account: MASTERCARD }],
      ['charge-membership', { membership: MASTERCARD }],
      ['charge-membership', { membership: '1', test: `de39=${MASTERCARD}` }],
      ['answer-dispute', { dispute: MASTERCARD, answer: 'accept' }],
      ['answer-dispute', { dispute, answer: 'accept', text: `card ${MASTERCARD}` }],
    ] as const) {
      const answer = await operation(gateway, name, members)
      assert.match(`${answer.status}`, /^40[04]$/, JSON.stringify(members))
      assert.ok(!JSON.stringify(answer).includes(MASTERCARD), name)
    }
  })

  test('an authorization expires at once, and its rest is released', async () => {
    const { orderId } = await shop().authorize(payment('12.00'))
    await shop().capture({ orderId, amount: '5.00' })

    const expired = await done('expire-authorization', { order: Number(orderId) })

    assert.deepEqual([expired['released'], expired['currency']], ['7.00', 'USD'])
    assert.equal(outcome(await shop().capture({ orderId, amount: '1.00' })), 'DECLINED 0/505')
    await untilEvent(orderId, 'authorization.expired')
    const types = (await eventsOf(gateway, `order ${orderId}`)).map(({ type }) => type)
    assert.deepEqual(
      types.filter((type) => type.startsWith('authorization.expir')),
      ['authorization.expiring', 'authorization.expired'],
    )
    await untilNoAdviceIsQueued(gateway)
    assert.deepEqual(await booksDifferences(gateway), [])
    const again = await operation(gateway, 'expire-authorization', { order: orderId })
    assert.equal(codeOf(again), '409 nothing_to_expire')
  })

  /** A renewal that no job charges meanwhile. */
  const later = (): Date => new Date(Date.now() + 9 * 86_400_000)

  test('a membership is charged at once, and its next period begins then', async () => {
    const dueAt = later()
    const { id } = await startMembership(gateway, { dueAt })

    const charged = await done('charge-membership', { membership: id })

    assert.deepEqual([charged['outcome'], charged['state']], ['approved', 'active'])
    const { next_at: next, paid_period: period } = await membershipOf(gateway, id)
    assert.equal(period, 0)
    assert.equal(next?.toISOString(), charged['next_at'])
    assert.ok(next !== null && next > dueAt)
    const { dispute } = await done('dispute', { order: charged['order'] })
    assert.ok(Number(dispute) > 0)
  })

  test('the words of a test decide the next charge of a membership, and no further one', async () => {
    const outcomes: Readonly<Record<string, string>> = {
      'de39=51': 'declined past_due 51',
      'mac=03': 'declined past_due 05 03',
      'mac=24; de39=51': 'declined past_due 51 24',
      'updater=new-number': 'approved active 00 A',
      'updater=new-expiry': 'approved active 00 E',
      'updater=closed': 'declined cancelled 46 C',
      'updater=closed; de39=00': 'approved active 00 C',
      'updater=ask': 'declined cancelled 05 Q',
    }
    const found = await Promise.all(
      Object.keys(outcomes).map(async (words) => {
        const { id } = await startMembership(gateway, { cardNumber: MASTERCARD, dueAt: later() })
        const charged = await done('charge-membership', { membership: id, test: words })
        const { outcome: result, state, transaction } = charged
        return [words, `${String(result)} ${String(state)} ${await answerOf(transaction)}`]
      }),
    )
    assert.deepEqual(Object.fromEntries(found), outcomes)

    const { id } = await startMembership(gateway, { dueAt: later() })
    const first = await done('charge-membership', { membership: id, test: 'de39=91' })
    const again = await done('charge-membership', { membership: id })
    assert.deepEqual([first['outcome'], again['outcome']], ['declined', 'approved'])
  })

  test('each published card with a row for a renewal is charged with the result of its row', async () => {
    const results: Readonly<Record<string, string>> = {
      A: 'approved active 00 A',
      E: 'approved active 00 E',
      C: 'declined cancelled 46 C',
      Q: 'declined cancelled 05 Q',
      P: 'approved active 00',
    }
    const rows = TEST_VALUES.flatMap(({ trials, value }) =>
      trials.flatMap(({ runs, when }) => (runs === 'membership' ? [[value, when.slice(-1)]] : [])),
    )
    assert.equal(rows.length, 10)
    for (const [cardNumber = '', result = ''] of rows) {
      const { id } = await startMembership(gateway, { cardNumber, dueAt: later() })
      const charged = await done('charge-membership', { membership: id })
      const { outcome: said, state, transaction } = charged
      const found = `${String(said)} ${String(state)} ${await answerOf(transaction)}`.trimEnd()
      assert.equal(found, results[result], `${cardNumber.slice(-4)} ${result}`)
    }
  })

  /** The code of the bank, its advice, and the report of the account updater. */
  const answerOf = async (transaction: unknown): Promise<string> => {
    const { rows } = await gateway.pool.query<{ said: string }>(
      `select concat_ws(' ', t.response_code, nullif(n.merchant_advice, ''), n.update_result) as said
         from transactions t left join account_updates n on n.transaction_id = t.id
        where t.id = $1`,
      [transaction],
    )
    return rows[0]?.said ?? ''
  }

  test('objects of another merchant do not exist, and a mistaken request names its fault', async () => {
    const { orderId, transactionId } = await sell('3.00')
    const { id } = await startMembership(gateway)
    const theirs: readonly [name: string, members: Readonly<Record<string, unknown>>][] = [
      ['close-batch', { account: 2001 }],
      ['settle', { account: 2001 }],
      ['reject', { transaction: transactionId }],
      ['dispute', { order: orderId }],
      ['report-fraud', { order: orderId }],
      ['answer-dispute', { dispute: 1, answer: 'accept' }],
      ['decide-dispute', { dispute: 1, issuer: 'accepts' }],
      ['win-dispute', { dispute: 1 }],
      ['expire-authorization', { order: orderId }],
      ['charge-membership', { membership: id }],
    ]
    for (const [name, members] of theirs) {
      assert.equal(codeOf(await operation(gateway, name, members, 1002)), '404 not_found', name)
    }
    const wrong = await operation(gateway, 'dispute', { order: 'x' })
    assert.deepEqual(wrong.error, {
      code: 'malformed',
      field: 'order',
      message:
        'order is a text of another form. Expected a whole number above zero, as answers have it.',
    })
    for (const [words, why] of [
      ['shop=lost', /^"shop" is unknown\. The words are de39, mac/],
      ['refund=refused', /^refund has no effect on this action/],
      [51, /^test is a number of another form\. Expected words such as "de39=51; mac=03"/],
    ] as const) {
      const { error } = await operation(gateway, 'charge-membership', {
        membership: id,
        test: words,
      })
      assert.equal(error?.field, 'test')
      assert.match(error.message, why)
    }
    const unread = await operation(gateway, 'settle', { order: 1 })
    assert.match(unread.error?.message ?? '', /not known here\. Expected no others than .*account/)
  })
})
