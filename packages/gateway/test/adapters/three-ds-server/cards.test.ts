import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { eventually, untilSeen } from '../../../../../test/support/eventually.ts'
import type { RunningThreeDsServer } from '../../../src/adapters/three-ds-server/three-ds-server.ts'
import type { AuthenticationQuestion } from '../../../src/usecases/three-ds/three-ds-server.ts'
import { questionAbout, startBeside, type Beside, type Told } from './server-beside-simulator.ts'

let beside: Beside
let server: RunningThreeDsServer
let told: Told

before(async () => {
  const started = await startBeside()
  beside = started
  ;({ server, told } = beside.another({ readMs: 3_000 }))
  assert.notEqual(await server.start(started.receive), null)
})
after(() => beside.stop())

type Changes = Partial<AuthenticationQuestion>

describe('an answer that can be used', () => {
  const answers: readonly [
    name: string,
    pan: string,
    expected: readonly [string, string, string],
    changes?: Changes,
  ][] = [
    ['authenticated, Visa', '4000000000002701', ['Y', '', '05']],
    ['authenticated, Mastercard', '5200000000002235', ['Y', '', '02']],
    ['authenticated, American Express', '340000000002708', ['Y', '', '05']],
    ['authenticated, Discover', '6011000000002117', ['Y', '', '05']],
    ['authenticated, JCB', '3338000000000296', ['Y', '', '05']],
    ['not authenticated', '4000000000002925', ['N', '01', '']],
    ['attempted, Visa', '4000000000002719', ['A', '', '06']],
    ['attempted, Mastercard', '5200000000002482', ['A', '', '01']],
    ['unavailable', '4000000000002313', ['U', '22', '']],
    ['rejected', '4000000000002537', ['R', '11', '']],
    ['data only, not asked for', '4000000000002024', ['U', '22', '']],
    ['data only, asked for', '4000000000002024', ['I', '', '07'], { challengePreference: '06' }],
    ['challenge', '4000000000002503', ['C', '', '']],
    ['2.1.0', '4000000000001000', ['Y', '', '05'], { version: '2.1.0' }],
    ['2.1.0 with a challenge', '4000000000001091', ['C', '', ''], { version: '2.1.0' }],
    ['no method, and told so', '4000000000009011', ['Y', '', '05'], { methodCompletion: 'U' }],
    ['no method, and told wrongly', '4000000000009011', ['N', '01', '']],
    ['slow', '4000000000009136', ['Y', '', '05']],
    ['a card without a payment', '4000000000002701', ['Y', '', '05'], { amountMinor: 0n }],
  ]
  for (const [name, pan, expected, changes = {}] of answers) {
    test(`${name}: ${pan} is ${expected[0]}`, async () => {
      const reply = await server.authenticate(questionAbout(pan, changes))
      assert.equal(reply.kind, 'answered', JSON.stringify(reply))
      assert.deepEqual([reply.status, reply.reason, reply.eci], expected)
      assert.equal(reply.cavv !== null, 'YA'.includes(reply.status))
      assert.equal(reply.acsUrl !== '', reply.status === 'C')
    })
  }
})

describe('an answer that cannot be used', () => {
  const faults: readonly [
    name: string,
    pan: string,
    cause: string,
    erro: string | null,
    changes?: Changes,
  ][] = [
    ['Erro 305 of the Directory Server', '4000000000002990', '305', null],
    ['Erro 403', '4000000000002446', '403', null],
    ['no answer in time', '4000000000002354', '402', null],
    ['Erro 203', '4000000000009102', '203', null],
    ['HTTP 500 with HTML', '4000000000009110', '403', null],
    ['a reset connection', '4000000000009128', '405', null],
    ['D, which nobody asked for', '4000000000009045', '203', '203 transStatus'],
    ['I, which nobody asked for', '4000000000009052', '203', '203 transStatus'],
    ['Y without a CAVV', '4000000000009060', '201', '201 authenticationValue'],
    ['a foreign threeDSServerTransID', '4000000000009078', '301', '301 threeDSServerTransID'],
    ['another version', '4000000000009086', '203', '203 messageVersion'],
    ['C without an address', '4000000000009094', '201', '201 acsURL'],
    ['the ECI of another brand', '4000000000009243', '203', '203 eci'],
    ['2.2.0 where the range speaks 2.1.0', '4000000000009003', '102', null],
  ]
  for (const [name, pan, cause, erro, changes = {}] of faults) {
    test(`${name}: ${pan} is unavailable with ${cause}`, async () => {
      const { entries: before } = (await beside.control('GET', '/three-ds/log')) as {
        entries: { seq: number }[]
      }
      const question = questionAbout(pan, changes)
      const reply = await server.authenticate(question)
      assert.equal(reply.kind, 'unavailable', JSON.stringify(reply))
      assert.equal(reply.cause, cause, reply.detail)
      assert.ok(!reply.detail.includes(pan))
      if (erro === null) return
      const sent = await errosAfter(before.at(-1)?.seq ?? 0)
      assert.equal(`${sent['errorCode']} ${sent['errorDetail']}`, erro)
      assert.equal(sent['errorComponent'], 'S')
      assert.equal(sent['errorMessageType'], 'ARes')
      assert.equal(sent['threeDSServerTransID'], question.serverTransId)
    })
  }

  test('an Erro 203 of the Directory Server raises an alarm, and an Erro 305 does not', async () => {
    const before = told.alarms
    await server.authenticate(questionAbout('4000000000002990'))
    assert.equal(told.alarms, before)
    await server.authenticate(questionAbout('4000000000009102'))
    assert.equal(told.alarms, before + 1)
  })
})

test('no server is asked in 2.1.0 without data of the screen, and the reason is reported', async () => {
  const question = questionAbout('4000000000001000', { version: '2.1.0' })
  const reply = await server.authenticate({
    ...question,
    browser: { ...question.browser, screenWidth: null },
  })
  assert.deepEqual(reply, {
    kind: 'unavailable',
    cause: '201',
    detail: 'no AReq 2.1.0 without browserScreenWidth',
  })
  assert.ok(
    told.logged.some(
      ({ level, what }) => level === 'warn' && what === '3-D Secure can not be asked for',
    ),
  )
  const log = JSON.stringify(await beside.control('GET', '/three-ds/log'))
  assert.ok(!log.includes(question.serverTransId))
})

test('every message is in the journal without card numbers, expiry dates and CAVVs', async () => {
  const question = questionAbout('4000000000002701')
  const reply = await server.authenticate(question)
  assert.equal(reply.kind, 'answered')
  const rows = await journalOf(question.serverTransId, 2)
  assert.deepEqual(
    rows.map(({ direction, type }) => `${direction} ${type}`),
    ['out AReq', 'in ARes'],
  )
  const text = JSON.stringify(rows)
  assert.ok(text.includes('"acctNumber":"400000******2701"'))
  assert.ok(!text.includes('4000000000002701'))
  assert.ok(!text.includes('"2812"'))
  assert.ok(!text.includes(reply.cavv?.reveal() ?? ''))
})

interface Row {
  readonly direction: string
  readonly type: string
  readonly content: unknown
}

/** Asks again until the rows are there: they are written behind the answer. */
async function journalOf(serverTransId: string, count: number): Promise<Row[]> {
  return untilSeen(
    `the journal has ${count} messages of ${serverTransId}`,
    async () => {
      const { rows } = await beside.database.pool.query<Row>(
        'select direction, type, content from three_ds_messages where server_trans_id = $1 order by id',
        [serverTransId],
      )
      return rows
    },
    (rows) => rows.length >= count,
  )
}

/** The Erro that we sent; it is on its way when the question is answered. */
async function errosAfter(seq: number): Promise<Record<string, string>> {
  return eventually('the Directory Server gets our Erro', async () => {
    const log = (await beside.control('GET', `/three-ds/log?after=${seq}`)) as {
      entries: { leg: string; direction: string; type: string; message: Record<string, string> }[]
    }
    const found = log.entries.find(
      ({ leg, direction, type }) => leg === 'server-ds' && direction === 'in' && type === 'Erro',
    )
    return found?.message
  })
}
