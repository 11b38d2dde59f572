import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Secret } from '../../../src/base/secret.ts'
import type {
  NewResult,
  StoredAuthentication,
} from '../../../src/usecases/three-ds/authentication-store.ts'
import { createReceiveResult } from '../../../src/usecases/three-ds/receive-result.ts'
import type { ThreeDsNotice } from '../../../src/usecases/three-ds/three-ds-deps.ts'
import type { ChallengeResult } from '../../../src/usecases/three-ds/three-ds-server.ts'

const NOW = new Date(Date.UTC(2026, 10, 21, 12))
const OPEN = {
  serverTransId: 'server',
  dsTransId: 'ds',
  acsTransId: 'acs',
  version: '2.2.0',
  mode: 'test',
  state: 'challenge',
  brand: 'Visa',
  amountMinor: 1_000n,
  resultDigest: null,
  expiresAt: new Date(NOW.getTime() + 1),
} as unknown as StoredAuthentication
const RESULT: ChallengeResult = {
  mode: 'test',
  brands: null,
  serverTransId: 'server',
  dsTransId: 'ds',
  acsTransId: 'acs',
  version: '2.2.0',
  messageCategory: '01',
  status: 'Y',
  reason: '',
  eci: '05',
  cavv: new Secret(Buffer.alloc(20, 7).toString('base64')),
  challengeCancel: '',
  digest: 'aa',
}

let kept: NewResult[]
let notices: ThreeDsNotice['kind'][]
beforeEach(() => {
  kept = []
  notices = []
})

/** The answers to results that come one after the other. */
async function answers(
  stored: Partial<StoredAuthentication>,
  results: readonly Partial<ChallengeResult>[],
  overtakenBy: string | null = null,
): Promise<string[]> {
  let row = { ...OPEN, ...stored }
  const receive = createReceiveResult({
    store: {
      findByServerTransId: async (id) => (id === row.serverTransId ? row : null),
      keepResult: async (result) => {
        if (overtakenBy !== null) row = { ...row, state: 'result', resultDigest: overtakenBy }
        if (row.state !== 'challenge') return false
        kept.push(result)
        row = { ...row, state: 'result', resultDigest: result.digest }
        return true
      },
    },
    cavvs: { seal: async () => ({ ciphertext: new Uint8Array([1]), dataKeyId: 1 }) },
    clock: { now: () => NOW },
    siteClocks: { of: async () => ({ now: () => NOW }) },
    notice: ({ kind }) => notices.push(kind),
  })
  const said: string[] = []
  for (const change of results) {
    const answer = await receive({ ...RESULT, ...change })
    said.push(
      typeof answer === 'string' ? answer : `${answer.kind} ${answer.errorCode} ${answer.detail}`,
    )
  }
  return said
}

test('the first result is kept, its repeat is accepted, and another one is reported as unknown', async () => {
  const second = { status: 'N', eci: '', cavv: null, digest: 'bb' } as const
  assert.deepEqual(await answers({}, [{}, {}, second, {}]), [
    'stored',
    'stored',
    'unknown',
    'stored',
  ])
  assert.deepEqual(
    kept.map(({ status, digest }) => [status, digest]),
    [['Y', 'aa']],
  )
  assert.deepEqual(notices, ['contradicted'])
})

test('the later of two results at once is judged by the other', async () => {
  assert.deepEqual(await answers({}, [{}], 'aa'), ['stored'])
  assert.deepEqual(await answers({}, [{}], 'bb'), ['unknown'])
  assert.deepEqual(kept, [])
})

for (const [what, change] of [
  ['transaction', { serverTransId: 'other' }],
  ["Directory Server's id", { dsTransId: 'other' }],
  ["ACS' id", { acsTransId: 'other' }],
  ['mode', { mode: 'live' }],
] as const) {
  test(`a result of another ${what} is unknown`, async () => {
    assert.deepEqual(await answers({}, [change]), ['unknown'])
    assert.deepEqual(kept, [])
  })
}

for (const state of ['asking', 'consumed', 'failed', 'expired'] as const) {
  test(`a result for a payment that is ${state} is unknown`, async () => {
    assert.deepEqual(await answers({ state }, [{}]), ['unknown'])
  })
}

test("a result after the payment's time is unknown", async () => {
  assert.deepEqual(await answers({ expiresAt: NOW }, [{}]), ['unknown'])
})

test('a result of another version or category changes nothing', async () => {
  assert.deepEqual(await answers({}, [{ version: '2.1.0' }, {}]), [
    'invalid 203 messageVersion',
    'stored',
  ])
  kept.length = 0
  assert.deepEqual(await answers({}, [{ messageCategory: '02' }, {}]), [
    'invalid 203 messageCategory',
    'stored',
  ])
})

for (const [what, change, said] of [
  ['Y without a value', { cavv: null }, 'invalid 201 authenticationValue'],
  [
    'a value of 21 bytes',
    { cavv: new Secret(Buffer.alloc(21).toString('base64')) },
    'invalid 203 authenticationValue',
  ],
  ['N with a value', { status: 'N', eci: '' }, 'invalid 203 authenticationValue'],
  ['the ECI of another brand', { eci: '02' }, 'invalid 203 eci'],
] as const) {
  test(`${what} is refused and kept as a failure, without its value`, async () => {
    assert.deepEqual(await answers({}, [change]), [said])
    assert.deepEqual(
      kept.map(({ status, eci, cavv }) => [status, eci, cavv]),
      [['N', '', null]],
    )
    assert.deepEqual(notices, ['answer_refused'])
  })
}

test('a result gives the payment 30 minutes more', async () => {
  await answers({}, [{}])
  assert.equal(kept[0]?.expiresAt.getTime(), NOW.getTime() + 30 * 60_000)
})

test('a Directory Server reports results about cards of its own brands only', async () => {
  const [visa, mastercard] = [{ brands: ['Visa'] }, { brands: ['Mastercard'] }] as const
  assert.deepEqual(await answers({}, [mastercard, visa]), ['unknown', 'stored'])
  assert.deepEqual(await answers({ brand: null }, [visa]), ['unknown'])
})
