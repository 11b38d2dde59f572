import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLinkClient } from '../src/index.ts'
import { aBank, approves, signsOn, silent } from './scripted-bank.ts'
import { HOUSE } from './support.ts'

const MANAGEMENT = { codec: HOUSE, acquirerId: '400001', onUnmatched: () => {} }
const SOON = { reconnectMinMs: 1, reconnectMaxMs: 5, signOnTimeoutMs: 20, stopTimeoutMs: 20 }

test('a link whose first address does not take the sign-on comes up at the second, and says why', async (t) => {
  const first = await aBank(t, silent)
  const second = await aBank(t, signsOn(approves))
  const host = '127.0.0.1'
  const standby = { host, port: second.port }
  const link = createLinkClient({ ...MANAGEMENT, host, port: first.port, standby, timing: SOON })
  t.after(() => link.stop())

  link.start()
  await link.whenUp()

  const { signedOnSince, ...status } = link.status()
  assert.deepEqual(status, {
    state: 'up',
    address: standby,
    lastError: 'The host did not take the sign-on (no answer).',
    inFlight: 0,
    waiting: 0,
    refused: { share: 0, window: 0 },
  })
  assert.ok(signedOnSince instanceof Date)
})

test('a link in TLS to a host that talks plain text comes up nowhere, and sends no message', async (t) => {
  const bank = await aBank(t, signsOn(approves))
  const down = Promise.withResolvers<void>()
  const link = createLinkClient({
    ...MANAGEMENT,
    host: '127.0.0.1',
    port: bank.port,
    tls: { ca: '', client: null },
    timing: { ...SOON, connectTimeoutMs: 500 },
    onStateChange: (state) => {
      if (state === 'down') down.resolve()
    },
  })
  t.after(() => link.stop())

  link.start()
  await down.promise

  assert.equal(link.status().state, 'down')
  assert.match(link.status().lastError ?? '', /^TLS could not be agreed on/)
  assert.deepEqual(bank.received, [])
})
