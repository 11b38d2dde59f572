import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { monthly } from '../support/memberships.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import {
  answerChallenge,
  CARD,
  enrol,
  finish,
  pay,
  cardForm,
  said,
  untilCardRanges,
  type Fields,
} from '../support/three-ds.ts'

let gateway: RunningGateway

before(async () => {
  gateway = await startRunningGateway({}, undefined, {}, { timeScale: 10 })
  await untilCardRanges(gateway)
})
after(() => gateway.stop())

const GOLD = monthly('Gold') as Fields
const SALE = { ...GOLD, REQUEST_ACTION: 'CCAUTHCAP' }

async function memberships(orderId = ''): Promise<number> {
  const { rows } = await gateway.pool.query<{ count: number }>(
    'select count(*)::int from memberships where order_id = $1',
    [orderId],
  )
  return rows[0]?.count ?? -1
}

test('a frictionless authentication ends in a membership', async () => {
  const answer = await enrol(gateway, CARD.authenticated, SALE)
  assert.equal(said(answer), 'APPROVED Y 05 0/100')
  assert.notEqual(answer['MBSHP_ID_1'], '')
  assert.equal(await memberships(answer['PO_ID']), 1)
})

test('the final call of a challenge begins the membership, and its repeat names the same', async () => {
  const pending = await enrol(gateway, CARD.challenged, SALE)
  assert.equal(pending['TRANS_STATUS_NAME'], 'PENDING')
  assert.equal(pending['MBSHP_ID_1'], '')
  assert.notEqual(pending['PO_LI_PROD_ID_1'], '')
  assert.equal(await memberships(pending['PO_ID']), 0)
  await answerChallenge(gateway, pending, '1234')
  const answers = await Promise.all(
    [1, 2, 3].map(() => finish(gateway, CARD.challenged, pending, SALE)),
  )
  for (const answer of answers) {
    assert.equal(said(answer), 'APPROVED Y 05 0/100')
    assert.equal(answer['MBSHP_ID_1'], answers[0]?.['MBSHP_ID_1'])
    assert.equal(answer['PO_LI_PROD_ID_1'], pending['PO_LI_PROD_ID_1'])
  }
  assert.notEqual(answers[0]?.['MBSHP_ID_1'], '')
  assert.equal(await memberships(pending['PO_ID']), 1)
})

test('repeats of a final call by a saved customer get its answer, not 690', async () => {
  const known = await pay(gateway, cardForm(CARD.challenged))
  const theirs = { ...SALE, CUST_ID: known['CUST_ID'] ?? '' }
  const pending = await enrol(gateway, CARD.challenged, theirs)
  await answerChallenge(gateway, pending, '1234')
  const answers = await Promise.all(
    [1, 2, 3].map(() => finish(gateway, CARD.challenged, pending, theirs)),
  )
  assert.deepEqual(
    answers.map(said),
    Array.from({ length: 3 }, () => 'APPROVED Y 05 0/100'),
  )
  assert.equal(await memberships(pending['PO_ID']), 1)
  // Another one of the same product is refused before anybody is challenged.
  assert.equal(said(await enrol(gateway, CARD.challenged, theirs)), 'REFUSED - - 0/690')
})

test('of frictionless sign-ups and final calls at once a customer gets one membership', async () => {
  const { CUST_ID = '' } = await pay(gateway, cardForm(CARD.challenged))
  const theirs = { ...SALE, CUST_ID }
  const pending = await Promise.all([1, 2, 3].map(() => enrol(gateway, CARD.challenged, theirs)))
  for (const one of pending) await answerChallenge(gateway, one, '1234')
  const answers = await Promise.all([
    ...pending.map((one) => finish(gateway, CARD.challenged, one, theirs)),
    ...[1, 2, 3].map(() => enrol(gateway, CARD.authenticated, theirs)),
  ])
  const begun = answers.filter((answer) => answer['TRANS_STATUS_NAME'] === 'APPROVED')
  assert.equal(begun.length, 1, answers.map(said).join(', '))
  for (const answer of answers) {
    if (answer !== begun[0]) assert.match(said(answer), / 0\/690$/)
  }
  const { rows } = await gateway.pool.query('select from memberships where customer_id = $1', [
    CUST_ID,
  ])
  assert.equal(rows.length, 1)
})

test('a challenge that fails begins none', async () => {
  const pending = await enrol(gateway, CARD.challenged, SALE)
  await answerChallenge(gateway, pending, '9999')
  const answer = await finish(gateway, CARD.challenged, pending, SALE)
  assert.equal(answer['TRANS_STATUS_NAME'], 'DECLINED')
  assert.equal(await memberships(pending['PO_ID']), 0)
})

test('a final call that leaves the definition out is about another payment', async () => {
  const pending = await enrol(gateway, CARD.challenged, SALE)
  await answerChallenge(gateway, pending, '1234')
  const answer = await finish(gateway, CARD.challenged, pending, { REQUEST_ACTION: 'CCAUTHCAP' })
  assert.equal(answer['TRANS_STATUS_NAME'], 'DECLINED')
  assert.equal(await memberships(pending['PO_ID']), 0)
})
