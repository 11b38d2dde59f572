import { compileProfile, HOUSE_PROFILE } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import { createOpenWork } from '../../packages/gateway/src/adapters/postgres/payments/open-work.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { assertBooksAgree } from '../support/agreeing-books.ts'
import { bankOrder } from '../support/bank-books.ts'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import { assertBooksAreClean } from '../support/books.ts'
import { openConnectionCutter, type ConnectionCutter } from '../support/connection-cutter.ts'
import { eventually, untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { newReference, untilRow } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import {
  answerChallenge,
  CARD,
  enrol,
  finish,
  said,
  untilCardRanges,
  type Fields,
} from '../support/three-ds.ts'

let gateway: RunningGateway
let tap: BankTap
let cutter: ConnectionCutter
before(async () => {
  gateway = await startRunningGateway(
    {},
    async (bankPort) => {
      tap = await openBankTap(bankPort)
      return tap.port
    },
    {
      detour: async (url) => {
        cutter = await openConnectionCutter(url)
        return cutter.url
      },
    },
    { timeScale: 4 },
  )
  await untilCardRanges(gateway)
})
after(async () => {
  await gateway.stop()
  await cutter.close()
  await tap.close()
})

const codec = compileProfile(HOUSE_PROFILE)
const NEVER_ANSWERED = '4000000000002354'

/** Authorizations that have left for the bank. */
function asked(): number {
  return tap.messages.filter((bytes) => codec.decode(bytes).mti === '0100').length
}

/** Another process on the same database, which may be killed; it has the card ranges. */
async function aNode(t: TestContext): Promise<{ node: GatewayNode; signIn: RunningGateway }> {
  const [port, tlsPort] = await freePorts(2)
  const { databaseUrl } = gateway
  const settings = {
    ...gateway.nodeSettings,
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    TLS_PORT: String(tlsPort),
  }
  const node = await startGatewayNode(settings)
  t.after(() => node.kill())
  const signIn = { ...gateway, baseUrl: node.baseUrl }
  // A card that is authenticated shows that the process has read the ranges.
  await untilSeen(
    'a card is authenticated',
    async () => said(await enrol(signIn, CARD.authenticated)),
    (seen) => seen === 'APPROVED Y 05 0/100',
  )
  return { node, signIn }
}

async function untilState(answer: Fields, state: string): Promise<void> {
  await untilRow(
    gateway,
    `the authentication is ${state}`,
    'select from three_ds_authentications where transaction_id = $1 and state = $2',
    [answer['TRANS_ID'], state],
  )
}

test('a process killed while it asks the issuer leaves a declined payment without a charge', async (t) => {
  const { node, signIn } = await aNode(t)
  const before = asked()
  const lost = enrol(signIn, NEVER_ANSWERED).catch(() => null)
  const row = await untilRow(
    gateway,
    'the AReq is on its way',
    `select a.transaction_id, a.server_trans_id from three_ds_authentications a
      where a.state = 'asking'`,
  )
  await node.kill()
  assert.equal(await lost, null)
  await gateway.pool.query(
    'update three_ds_authentications set expires_at = now() where server_trans_id = $1',
    [row['server_trans_id']],
  )
  await untilState({ TRANS_ID: String(row['transaction_id']) }, 'expired')
  assert.equal(asked(), before)
})

test('a process killed after PENDING leaves the payment to another, which declines without a result', async (t) => {
  const { node, signIn } = await aNode(t)
  const pending = await enrol(signIn, CARD.challenged)
  assert.equal(pending['TRANS_STATUS_NAME'], 'PENDING')
  await node.kill()
  const before = asked()
  assert.match(said(await finish(gateway, CARD.challenged, pending)), /^DECLINED [NU] 07 0\/600$/)
  assert.equal(asked(), before)
})

test('a result that a process took before it was killed is used by another one', async (t) => {
  const { node, signIn } = await aNode(t)
  const pending = await enrol(signIn, CARD.challenged)
  await answerChallenge(signIn, pending, '1234')
  await untilState(pending, 'result')
  await node.kill()
  const before = asked()
  assert.equal(said(await finish(gateway, CARD.challenged, pending)), 'APPROVED Y 05 0/100')
  assert.equal(asked(), before + 1)
})

test('row 43: a payment whose process is killed while it asks the bank is reversed and never sent again', async (t) => {
  const { node, signIn } = await aNode(t)
  const pending = await enrol(signIn, CARD.challenged)
  await answerChallenge(signIn, pending, '1234')
  await untilState(pending, 'result')
  const before = asked()
  tap.holdBank()
  const lost = finish(signIn, CARD.challenged, pending).catch(() => null)
  await untilState(pending, 'consumed')
  await eventually('the bank is asked', () => asked() > before)
  await node.kill()
  assert.equal(await lost, null)
  tap.letGo()
  // It waited for its customer for long, and runs since a moment only.
  await gateway.pool.query(
    `update transactions set created_at = created_at - interval '20 minutes' where id = $1`,
    [pending['TRANS_ID']],
  )
  const work = createOpenWork(gateway.pool)
  const aMinuteAgo = new Date(Date.now() - 60_000)
  assert.deepEqual(await work.findOpenTransactions(aMinuteAgo, 10), [])
  await assertBooksAgree(gateway)
  assert.equal((await bankOrder(gateway, pending['PO_ID'] ?? ''))?.state, 'reversed')
  assert.equal(said(await finish(gateway, CARD.challenged, pending)), 'FAILED Y 05 0/502')
  assert.equal(asked(), before + 1)
})

for (const when of ['before the server', 'before the answer'] as const) {
  test(`a commit cut ${when} in the enrolment or the final call costs no payment and makes no second one`, async () => {
    const before = asked()
    const cutIntent = cutter.cutNext('begin authentications', when)
    const pending = await enrol(gateway, CARD.challenged)
    await cutIntent
    if (pending['TRANS_STATUS_NAME'] !== 'PENDING') {
      // Nothing was written, the bank got no request, and the answer to the shop says so.
      assert.equal(when, 'before the server')
      assert.equal(asked(), before)
      return
    }
    await answerChallenge(gateway, pending, '1234')
    await untilState(pending, 'result')
    const cutFinal = cutter.cutNext('consume authentications', when)
    assert.equal(said(await finish(gateway, CARD.challenged, pending)), 'APPROVED Y 05 0/100')
    await cutFinal
    assert.equal(asked(), before + 1)
  })
}

for (const when of ['before the server', 'before the answer'] as const) {
  test(`an enrolment without a challenge whose last write is cut ${when} asks the bank once`, async () => {
    const before = asked()
    const cut = cutter.cutNext('consume authentications', when)
    assert.equal(said(await enrol(gateway, CARD.authenticated)), 'APPROVED Y 05 0/100')
    await cut
    assert.equal(asked(), before + 1)
  })

  test(`a commit cut ${when} in an enrolment that claims its reference costs no payment and makes no second one`, async () => {
    const before = asked()
    const own = { xtl_order_id: newReference(), unique_xtl_order_id: '1' }
    const cut = cutter.cutNext('commit', when, 'claim reference')
    assert.equal(said(await enrol(gateway, CARD.authenticated, own)), 'APPROVED Y 05 0/100')
    await cut
    assert.equal(asked(), before + 1)
  })
}

test('the books are clean after all of it', async () => {
  await assertBooksAgree(gateway)
  await assertBooksAreClean(gateway)
})
