import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGatewayMetrics } from '../../../src/adapters/metrics/gateway-metrics.ts'
import { openDatabase } from '../../../src/adapters/postgres/connection/database.ts'
import { createThreeDsJournal } from '../../../src/adapters/postgres/three-ds/three-ds-journal.ts'
import { journalContent } from '../../../src/adapters/three-ds-server/journal-content.ts'
import { createMessageRecorder } from '../../../src/adapters/three-ds-server/message-recorder.ts'
import { maskNumbers } from '../../../src/base/card-masking.ts'

test('authentications, results, alarms and the age of card ranges are counted', async () => {
  const { registry, threeDs } = createGatewayMetrics([])
  threeDs.countAuthentication('test', 'Y', 0.02)
  threeDs.countAuthentication('live', 'unavailable', 10)
  threeDs.countResult('stored')
  threeDs.countAlarm()
  threeDs.watchRanges(() => [{ directory: 'simulator', ageSeconds: 7 }])
  const text = await registry.metrics()
  for (const line of [
    'tollgate_three_ds_authentications_total{mode="test",outcome="Y"} 1',
    'tollgate_three_ds_authentications_total{mode="live",outcome="unavailable"} 1',
    'tollgate_three_ds_authentication_seconds_bucket{le="0.025",mode="test"} 1',
    'tollgate_three_ds_results_total{outcome="stored"} 1',
    'tollgate_three_ds_alarms_total 1',
    'tollgate_three_ds_ranges_age_seconds{directory="simulator"} 7',
  ]) {
    assert.ok(text.includes(line), line)
  }
})

test('a message that cannot be kept is reported, and does not delay its sender', async () => {
  const database = openDatabase('postgresql://nobody@127.0.0.1:1/nowhere', () => undefined)
  const lost: unknown[] = []
  const journal = createThreeDsJournal(database, (error) => void lost.push(error))
  journal.add({ at: new Date(), serverTransId: null, direction: 'in', type: 'ARes', content: {} })
  await journal.idle()
  assert.equal(lost.length, 1)
  await database.close()
})

test('card numbers are masked in any place, and other texts are left', () => {
  assert.equal(maskNumbers('see 4000000000002701.'), 'see 400000******2701.')
  assert.equal(maskNumbers('4000 0000 0000 2701'), '400000******2701')
  assert.equal(maskNumbers('x4000-0000-0000-2701y'), 'x400000******2701y')
  assert.equal(maskNumbers('order 1234567890123'), 'order 1234567890123')
  const content = journalContent({
    messageType: 'AReq',
    acctNumber: '4000000000002702',
    cardExpiryDate: '2812',
    authenticationValue: 'AAABBJkZUQAAAABjRWWZEEFgFz8=',
    messageExtension: [{ data: { pan: '4000000000002701' } }],
    purchaseDate: '20261121013000',
    cardRangeData: [{}, {}],
    phone: { subscriber: '4000000000002701' },
    flag: true,
  })
  assert.deepEqual(content, {
    messageType: 'AReq',
    acctNumber: '400000******2702',
    purchaseDate: '20261121013000',
    cardRangeData: 2,
    phone: { subscriber: '400000******2701' },
    flag: true,
  })
})

test("the journal keeps only an Erro's own texts, and none of its other contents", () => {
  const kept: unknown[] = []
  const journal = {
    add: ({ content }: { readonly content: unknown }) => void kept.push(content),
    idle: async () => undefined,
  }
  let deep: unknown = 'AAABBJkZUQAAAABjRWWZEEFgFz8='
  for (let depth = 0; depth < 20_000; depth += 1) deep = { authenticationValue: deep }
  const erro = { messageType: 'Erro', errorCode: '203', errorDetail: 'no 4000000000002701' }
  createMessageRecorder(journal, { now: () => new Date() }).record('in', {
    ...erro,
    errorDescription: deep,
    deep,
  })
  assert.deepEqual(kept, [{ ...erro, errorDetail: 'no 400000******2701' }])
})
