import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { assertBooksAgree } from '../support/agreeing-books.ts'
import { bankRequests } from './support/bank-requests.ts'
import {
  aresOf,
  rreqOf,
  startRecordingDirectory,
  type Message,
} from './support/recording-directory.ts'
import { gist, startRecordedWorld, type RecordedWorld } from './support/world.ts'

const CARD = '4000000000002503'
const FRICTIONLESS = '4000000000002701'

suite('3-D Secure when everything happens at once', () => {
  let world: RecordedWorld
  const questions = new Map<unknown, Message>()
  before(async () => {
    world = await startRecordedWorld(await startRecordingDirectory())
    world.directory.answerWith((areq) => {
      const isChallenge = areq['acctNumber'] === CARD
      const ares = isChallenge
        ? aresOf(areq, 'C', { acsURL: world.directory.acsUrl })
        : aresOf(areq, 'Y')
      questions.set(areq['threeDSServerTransID'], ares)
      return ares
    })
  })
  after(() => world?.stop())

  /** A pending payment and the ARes that made it so. */
  async function challenged() {
    const enrolled = await world.shop().enrol(CARD)
    assert.equal(gist(enrolled.answer), 'PENDING C -')
    const { rows } = await world.gateway.pool.query<{ id: string }>(
      'select server_trans_id as id from three_ds_authentications where proc_trans_id = $1',
      [enrolled.answer['P3DS_PROCTRANSID']],
    )
    return { enrolled, ares: questions.get(rows[0]?.id) ?? {} }
  }
  const tell = (body: Message) => world.directory.sendResult(world.resultsUrl(), body)
  async function countSent<T>(
    act: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly sent: number }> {
    const before = bankRequests(world.tap).length
    const result = await act()
    return { result, sent: bankRequests(world.tap).length - before }
  }

  test('20 final calls at once are one authorization and one answer, time after time', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { ares, enrolled } = await challenged()
      await tell(rreqOf(ares, 'Y'))
      const { result, sent } = await countSent(() =>
        Promise.all(Array.from({ length: 20 }, () => world.shop().finish(enrolled))),
      )
      assert.equal(sent, 1, `round ${round}`)
      const decided = result
        .filter((answer) => answer['TRANS_STATUS_NAME'] !== 'RUNNING')
        .map((answer) => JSON.stringify({ ...answer, REQ_ID: '' }))
      assert.equal(new Set(decided).size, 1)
      assert.equal(
        gist(result.find((answer) => answer['TRANS_STATUS_NAME'] !== 'RUNNING') ?? {}),
        'APPROVED Y 05',
      )
    }
  })

  test('a final call that races its result waits for it, or finds it: one authorization each', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { ares, enrolled } = await challenged()
      const { result, sent } = await countSent(() =>
        Promise.all([world.shop().finish(enrolled), tell(rreqOf(ares, 'Y'))]),
      )
      const [answer, told] = result
      assert.equal(told.message['resultsStatus'], '01')
      assert.equal(gist(answer), 'APPROVED Y 05', `round ${round}`)
      assert.equal(sent, 1)
    }
  })

  test('a final call that races a failed result is declined, and the bank not asked', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { ares, enrolled } = await challenged()
      const { result, sent } = await countSent(() =>
        Promise.all([world.shop().finish(enrolled), tell(rreqOf(ares, 'N'))]),
      )
      assert.equal(gist(result[0]), 'DECLINED N 07')
      assert.equal(sent, 0)
    }
  })

  test('Y and N at once are one result, and the other one gets an Erro', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { ares, enrolled } = await challenged()
      const told = await Promise.all([tell(rreqOf(ares, 'Y')), tell(rreqOf(ares, 'N'))])
      assert.deepEqual(told.map(({ message }) => String(message['messageType'])).toSorted(), [
        'Erro',
        'RRes',
      ])
      const { result, sent } = await countSent(() => world.shop().finish(enrolled))
      const isGood = told[0].message['messageType'] === 'RRes'
      assert.equal(gist(result), isGood ? 'APPROVED Y 05' : 'DECLINED N 07')
      assert.equal(sent, isGood ? 1 : 0)
    }
  })

  test('the same result 20 times at once is one result, and 20 times the same RRes', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { ares, enrolled } = await challenged()
      const told = await Promise.all(Array.from({ length: 20 }, () => tell(rreqOf(ares, 'Y'))))
      assert.equal(new Set(told.map(({ text }) => text)).size, 1)
      assert.equal(told[0]?.message['resultsStatus'], '01')
      const { result, sent } = await countSent(() => world.shop().finish(enrolled))
      assert.equal(gist(result), 'APPROVED Y 05')
      assert.equal(sent, 1)
    }
  })

  test('two enrolments with one reference are two payments with an id and an authorization each', async () => {
    for (let round = 0; round < 10; round += 1) {
      const shop = world.shop()
      const { DDC_REFERENCEID: reference = '' } = await shop.prepare(FRICTIONLESS)
      const asked = world.directory.questions().length
      const { result, sent } = await countSent(() =>
        Promise.all([1, 2].map(() => shop.enrol(FRICTIONLESS, { DDC_REFERENCEID: reference }))),
      )
      assert.deepEqual(
        result.map(({ answer }) => gist(answer)),
        ['APPROVED Y 05', 'APPROVED Y 05'],
      )
      const ids = world.directory
        .questions()
        .slice(asked)
        .map(({ threeDSServerTransID }) => threeDSServerTransID)
      assert.equal(new Set(ids).size, 2)
      assert.equal(sent, 2)
    }
  })

  test('the right final call and wrong ones at once are one authorization at most', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { ares, enrolled } = await challenged()
      await tell(rreqOf(ares, 'Y'))
      const { result, sent } = await countSent(() =>
        Promise.all(
          [{}, { LI_VALUE_1: '11.00' }, {}, { PMT_NUMB: FRICTIONLESS }, {}].map((more) =>
            world.shop().finish(enrolled, more),
          ),
        ),
      )
      assert.ok(sent <= 1)
      const gists = result.map(gist)
      assert.equal(gists[1], 'DECLINED N -')
      assert.equal(gists[3], 'DECLINED N -')
      assert.equal(gists.filter((each) => each === 'APPROVED Y 05').length, sent === 1 ? 3 : 0)
    }
  })

  test('in the end the books of gateway and bank agree', async () => {
    assert.ok((await assertBooksAgree(world.gateway)) > 80)
  })
})
