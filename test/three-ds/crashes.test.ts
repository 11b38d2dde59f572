import assert from 'node:assert/strict'
import { after, afterEach, before, suite, test } from 'node:test'
import { verifyBooks } from '../../packages/gateway/src/wiring/books.ts'
import { freePorts } from '../../packages/tollgate/test/free-ports.ts'
import { assertBooksAgree } from '../support/agreeing-books.ts'
import { untilSeen } from '../support/eventually.ts'
import { startGatewayNode, type GatewayNode } from '../support/gateway-node.ts'
import { untilRow } from '../support/payments.ts'
import { bankRequests } from './support/bank-requests.ts'
import {
  aresOf,
  rreqOf,
  startRecordingDirectory,
  type Message,
} from './support/recording-directory.ts'
import { createThreeDsShop, type Enrolled, type ThreeDsShop } from './support/shop.ts'
import {
  gist,
  startRecordedWorld,
  untilRangesAreKnown,
  type RecordedWorld,
} from './support/world.ts'

const CARD = '4000000000002503'

suite('a gateway that is killed in the middle of 3-D Secure', () => {
  let world: RecordedWorld
  let node: GatewayNode
  let shop: ThreeDsShop
  let settings: Record<string, string>
  let ares: Message = {}
  before(async () => {
    const [resultsPort = 0, tlsPort = 0] = await freePorts(2)
    world = await startRecordedWorld(await startRecordingDirectory(), {
      settings: { THREE_DS_RESULTS_PORT: String(resultsPort), BANK_TIMEOUT_MS: '2000' },
    })
    await world.gateway.stopGateway()
    settings = {
      ...world.gateway.nodeSettings,
      DATA_DIR: world.directory.dataDir,
      TLS_PORT: String(tlsPort),
    }
    await start()
  })
  after(async () => {
    await node?.stop()
    await world?.stop()
  })
  afterEach(() => world.tap.letGo())

  async function start(): Promise<void> {
    node = await startGatewayNode(settings)
    shop = createThreeDsShop({ baseUrl: node.baseUrl })
    world.directory.answerWith((areq) => aresOf(areq, 'Y'))
    await untilRangesAreKnown(shop)
    world.directory.answerWith(
      (areq) => (ares = aresOf(areq, 'C', { acsURL: world.directory.acsUrl })),
    )
  }
  async function crash(): Promise<void> {
    await node.kill()
    await start()
  }
  const sent = () => bankRequests(world.tap).filter(({ pan }) => pan === CARD).length
  const tell = (status: string) =>
    world.directory.sendResult(world.resultsUrl(), rreqOf(ares, status))
  async function challenged(): Promise<Enrolled> {
    const enrolled = await shop.enrol(CARD)
    assert.equal(gist(enrolled.answer), 'PENDING C -')
    return enrolled
  }
  const stateOf = async (id: string | undefined): Promise<string> =>
    (
      await world.gateway.pool.query<{ state: string }>(
        'select state from transactions where id = $1',
        [id],
      )
    ).rows[0]?.state ?? ''

  test('V10: killed while the AReq is answered, it has authorized nothing, and abandons the payment', async () => {
    const before = sent()
    let asked = (): void => undefined
    const isAsked = new Promise<void>((resolve) => (asked = resolve))
    world.directory.answerWith(() => {
      asked()
      return () => undefined // It stays silent.
    })
    const { DDC_REFERENCEID = null } = await shop.prepare(CARD)
    const repeatable = { DDC_REFERENCEID, IDEMPOTENCY_KEY: 'asked' }
    const lost = shop.enrol(CARD, repeatable).then(
      () => 'answered',
      () => 'lost',
    )
    await isAsked
    await node.kill()
    assert.equal(await lost, 'lost')
    await start()
    await world.gateway.pool.query(
      `update three_ds_authentications set expires_at = now() - interval '1 minute' where state = 'asking'`,
    )
    await untilRow(
      world.gateway,
      'the payment is given up',
      `select 1 where not exists (select from transactions where state in ('pending', 'running'))`,
    )
    const { answer } = await shop.enrol(CARD, repeatable)
    assert.equal(answer['TRANS_STATUS_NAME'], 'DECLINED')
    assert.equal(sent(), before)
  })

  test('V10: killed after the ARes was stored, it finishes the payment, once', async () => {
    const before = sent()
    const enrolled = await challenged()
    await crash()
    assert.equal((await tellLast(enrolled)).message['resultsStatus'], '01')
    const final = await shop.finish(enrolled)
    assert.equal(gist(final), 'APPROVED Y 05')
    assert.equal(final['TRANS_ID'], enrolled.answer['TRANS_ID'])
    assert.equal(sent(), before + 1)
  })

  /** After a start, the last question is not that of the payment. */
  async function tellLast(enrolled: Enrolled): Promise<{ message: Message }> {
    const { rows } = await world.gateway.pool.query<Record<string, string>>(
      'select server_trans_id, ds_trans_id, acs_trans_id from three_ds_authentications where proc_trans_id = $1',
      [enrolled.answer['P3DS_PROCTRANSID']],
    )
    const [row = {}] = rows
    const ids = {
      threeDSServerTransID: row['server_trans_id'],
      dsTransID: row['ds_trans_id'],
      acsTransID: row['acs_trans_id'],
      messageVersion: '2.2.0',
    }
    return await world.directory.sendResult(world.resultsUrl(), rreqOf(ids, 'Y'))
  }

  test('V10: killed after the result was stored, it finishes the payment with that result, once', async () => {
    const before = sent()
    const enrolled = await challenged()
    assert.equal((await tell('Y')).message['resultsStatus'], '01')
    await crash()
    assert.equal(gist(await shop.finish(enrolled)), 'APPROVED Y 05')
    const request = bankRequests(world.tap).findLast(({ pan }) => pan === CARD)
    assert.equal(request?.cavv, Buffer.alloc(20, 7).toString('hex').toUpperCase())
    assert.equal(sent(), before + 1)
  })

  test('row 43, T26: killed after the authorization was sent, it never sends a second one, and no money stays held', async () => {
    const before = sent()
    const enrolled = await challenged()
    await tell('Y')
    world.tap.holdBank()
    const lost = shop.finish(enrolled).then(
      () => 'answered',
      () => 'lost',
    )
    await untilSent(before + 1)
    await node.kill()
    assert.equal(await lost, 'lost')
    world.tap.letGo()
    await start()

    const again = await shop.finish(enrolled)
    assert.notEqual(again['TRANS_STATUS_NAME'], 'APPROVED')
    await assertBooksAgree(world.gateway)
    assert.equal(await stateOf(enrolled.answer['TRANS_ID']), 'failed')
    assert.notEqual((await shop.finish(enrolled))['TRANS_STATUS_NAME'], 'APPROVED')
    assert.equal(sent(), before + 1)
  })

  async function untilSent(count: number): Promise<void> {
    await untilSeen(`the bank is asked ${count} times`, sent, (seen) => seen >= count, {
      everyMs: 5,
    })
  }

  test('V10: killed after the bank had approved, it returns the approval to a repeated request', async () => {
    const before = sent()
    const enrolled = await challenged()
    await tell('Y')
    const key = { IDEMPOTENCY_KEY: 'approved' }
    const first = await shop.finish(enrolled, key)
    assert.equal(gist(first), 'APPROVED Y 05')
    await crash()
    for (const repeat of [await shop.finish(enrolled), await shop.finish(enrolled, key)])
      assert.deepEqual({ ...repeat, REQ_ID: '' }, { ...first, REQ_ID: '' })
    assert.equal(sent(), before + 1)
  })

  test('V10: after all this the books agree, and nothing that proves an authentication is kept', async () => {
    await assertBooksAgree(world.gateway)
    const checks = await verifyBooks(world.gateway.databaseUrl, {
      bankTimeoutMs: 2000,
      dataDir: world.gateway.nodeSettings['DATA_DIR'] ?? '',
    })
    assert.deepEqual(
      checks.filter(({ count, isWarning }) => count > 0 && !isWarning),
      [],
    )
    const { rows } = await world.gateway.pool.query(
      `select 1 from three_ds_authentications where state = 'consumed' and cavv_ciphertext is not null`,
    )
    assert.deepEqual(rows, [])
  })
})
