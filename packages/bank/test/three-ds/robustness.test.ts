import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../test/support/properties.ts'
import type { MessageType } from '../../src/three-ds/answer-fields.ts'
import { KNOWN_CARDS } from '../../src/three-ds/cards.ts'
import { checkMessage } from '../../src/three-ds/read-message.ts'
import { aCReq, anAReq, base64Url, begin, carriedBy, postForm } from './scripted-server.ts'
import { press, startScriptedServer, startSimulator } from './scripted-server.ts'
import type { Fields } from './scripted-server.ts'

/** Text as hostile clients write it: encoded in many ways, cut off, or none at all. */
const anything = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.jsonValue().map((value) => base64Url(value)),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.constantFrom('', '=', '%', '\0', '{}', 'null', base64Url({ acsTransID: null })),
)

suite('the simulator under hostile clients', () => {
  test('no form of any kind is a fault of the server, and none begins or ends a challenge', async (t) => {
    const simulator = await startSimulator(t, { timeScale: 1 })
    const server = await startScriptedServer(simulator)
    const { acsUrl, ares } = await begin(simulator, server, '4000000000002503')
    const { acsTransID } = ares
    const names = fc.constantFrom('creq', 'threeDSMethodData', 'threeDSSessionData', 'mac', 'do')
    const paths = fc.constantFrom('/acs/creq', '/acs/method', '/acs/creq/challenge')
    await fc.assert(
      fc.asyncProperty(paths, fc.dictionary(names, anything), async (path, fields) => {
        const form = { acsTransID: String(acsTransID), challengeDataEntry: '1234', ...fields }
        const { status } = await postForm(simulator, new URL(path, acsUrl).href, form)
        assert.equal(status, 400)
      }),
      { numRuns: 150, seed: 20_260_324 },
    )
    assert.deepEqual(server.results, [])
  })

  test('no body of any kind is a fault of the Directory Server', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    const names = fc.constantFrom(...Object.keys(anAReq()))
    const aMessage = fc
      .tuple(names, fc.jsonValue())
      .map(([name, value]) => JSON.stringify(anAReq({ [name]: value })))
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, aMessage), async (body) => {
        const { status, text } = await server.raw(body)
        assert.equal(status, 200)
        if (text !== '') assert.match(text, /"messageType":"(Erro|ARes)"/)
      }),
      { numRuns: 150, seed: 20_260_325 },
    )
  })

  test('a card number in a wrong field is not in the answer', async (t) => {
    const simulator = await startSimulator(t)
    const server = await startScriptedServer(simulator)
    for (const name of Object.keys(anAReq())) {
      const answer = await server.ask(server.areq('4000000000002701', { [name]: 4000000000002701 }))
      assert.ok(!JSON.stringify(answer).includes('4000000000002701'), name)
    }
  })
})

suite('messages that the simulator sends', () => {
  const check = (message: Fields, version: '2.1.0' | '2.2.0') => {
    const type = message['messageType'] as MessageType
    checkMessage(message, JSON.stringify(message), { type, leg: 'to_server', version })
    for (const value of Object.values(message)) assert.ok(value !== '' && value !== null, type)
  }

  for (const version of ['2.1.0', '2.2.0'] as const) {
    test(`is right by its own tables in ${version}`, async (t) => {
      // Slow cards are waited for, and a busy machine still begins a challenge in the second and a
      // half for it.
      const simulator = await startSimulator(t, { timeScale: 20 })
      const server = await startScriptedServer(simulator)
      const messageVersion = version
      const preq = { messageType: 'PReq', messageVersion, threeDSServerRefNumber: 'SIM_3DSS_0001' }
      check(await server.ask({ ...preq, threeDSServerTransID: crypto.randomUUID() }), version)
      let seen = 0
      for (const { habit, pan } of KNOWN_CARDS) {
        if (habit === 'lookup_silent') continue
        const ares = await server.ask(server.areq(pan, { messageVersion }))
        check(ares, version)
        if (ares['transStatus'] !== 'C') continue
        const acsUrl = String(ares['acsURL'])
        const first = await postForm(simulator, acsUrl, { creq: base64Url(aCReq(ares)) })
        const isPage = first.text.includes('Confirm your payment')
        const last = isPage ? await press(simulator, first, acsUrl, 'cancel') : first
        check(carriedBy(last.text), version)
        seen += 1
      }
      assert.equal(server.results.length, seen)
      for (const rreq of server.results) check(rreq, version)
    })
  }
})
