import Fastify from 'fastify'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestBankTables } from '../../../src/domain/banks/test-bank.ts'
import { PUBLISHED_SITES } from '../../../src/http/sandbox/published-sites.ts'
import { PUBLISHED_USERS } from '../../../src/http/sandbox/published-users.ts'
import { valuesService } from '../../../src/http/sandbox/values-service.ts'
import { wireTestValues } from '../../../src/wiring/test-values.ts'

const NO_TABLES: TestBankTables = {
  triggers: [],
  faults: [],
  testCards: [],
  postalCodes: [],
  securityCodes: [],
  threeDs: [],
  challengeCodes: [],
  runs: { at_once: 'at once' },
  values: [
    {
      kind: 'three_ds',
      value: '4000000000002701',
      meaning: 'authenticated',
      trials: [{ when: '', runs: 'at_once', payment: null, answer: null }],
    },
  ],
}

test('/sandbox/values is 503 until the bank answers, and lists its values then', async () => {
  const answers = [Promise.reject(new Error('it has left no address')), Promise.resolve(NO_TABLES)]
  const app = Fastify()
  valuesService(app, {
    readTables: () => answers.shift() ?? Promise.reject(new Error('asked again')),
  })
  const first = await app.inject('/sandbox/values')
  assert.equal(first.statusCode, 503)
  assert.match(first.body, /"message":"The test bank of this gateway cannot be asked/)
  for (const reply of [await app.inject('/sandbox/values'), await app.inject('/sandbox/values')]) {
    const { sites, users, ...answer } = JSON.parse(reply.body) as Record<string, unknown[]>
    assert.deepEqual(
      [sites?.length, users?.length],
      [PUBLISHED_SITES.length, PUBLISHED_USERS.length],
    )
    assert.deepEqual(answer, {
      runs: { at_once: 'at once' },
      values: [
        {
          kind: 'three_ds',
          value: '4000000000002701',
          meaning: 'authenticated',
          trials: [{ when: '', runs: 'at_once' }],
        },
      ],
    })
  }
})

test('a production gateway has no /sandbox/values', () => {
  const config = { bundledBank: 'on', dataDir: '/nowhere' } as const
  assert.deepEqual(wireTestValues({ ...config, mode: 'production' }), [])
  assert.equal(wireTestValues({ ...config, mode: 'sandbox' }).length, 1)
})
