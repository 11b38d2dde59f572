import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RunningThreeDsServer } from '../../../src/adapters/three-ds-server/three-ds-server.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import { questionAbout, startBeside, type Beside, type Told } from './server-beside-simulator.ts'

let beside: Beside
let server: RunningThreeDsServer
let told: Told

before(async () => {
  const started = await startBeside()
  beside = started
  ;({ server, told } = beside.another())
  assert.notEqual(await server.start(started.receive), null)
})
after(() => beside.stop())

test('an AReq of a payment without a challenge is answered Y with ECI and CAVV', async () => {
  const reply = await server.authenticate(questionAbout('4000000000002701'))
  assert.equal(reply.kind, 'answered')
  assert.equal(reply.status, 'Y')
  assert.deepEqual(told.authentications, ['Y'])
  assert.equal(reply.eci, '05')
  assert.equal(reply.cavv?.reveal().length, 28)
})

test('the server asks for card ranges at the start, and they give version and method of a card', () => {
  assert.deepEqual(server.findRange('test', new CardNumber('4000000000001000'))?.version, '2.1.0')
  assert.deepEqual(server.findRange('test', new CardNumber('4000000000002701'))?.version, '2.2.0')
  assert.equal(server.findRange('test', new CardNumber('4111111111111111')), null)
  assert.equal(server.findRange('live', new CardNumber('4000000000002701')), null)
  assert.equal(server.methodUrls('test', '400000').length, 1)
})
