import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { fc } from '../../../test/support/properties.ts'
import type { Codec, IsoMessage } from '../src/index.ts'
import { cannotBeDissected, disagreements, dissectWithTshark, whyNoTshark } from './dissect.ts'
import { randomMessages } from './ecommerce-messages.ts'
import { goldenVectors } from './golden-vectors.ts'
import { anyMessage } from './message-arbitraries.ts'
import { CODECS, HOUSE, anAuthorization } from './support.ts'

function isSkipped(t: TestContext): boolean {
  const reason = whyNoTshark()
  if (reason === null) return false
  process.stderr.write(`SKIPPED "${t.name}": ${reason}\n`)
  t.skip(reason)
  return true
}

function assertTsharkAgrees(codec: Codec, messages: readonly IsoMessage[]): void {
  const dissected = dissectWithTshark(messages.map(codec.encode), codec.profile)
  messages.forEach((message, index) => {
    const found = dissected[index]
    assert.ok(found)
    const fields = disagreements(message, found, codec.profile)
    assert.deepEqual(fields, [], `message ${index}, a ${message.mti}, reads otherwise`)
  })
}

for (const codec of CODECS) {
  test(`${codec.profile.name}: tshark reads 2,000 e-commerce messages as they were meant`, (t) => {
    if (isSkipped(t)) return
    assertTsharkAgrees(codec, randomMessages(2_000, 1987))
  })
}

test('house: tshark reads every golden message as it was meant', (t) => {
  if (isSkipped(t)) return
  const messages = goldenVectors('house').map(({ message }) => message)
  assertTsharkAgrees(
    HOUSE,
    messages.filter((message) => !cannotBeDissected(message, HOUSE.profile)),
  )
})

test('house: tshark reads messages of any fields as they were meant', (t) => {
  if (isSkipped(t)) return
  const messages = fc
    .sample(anyMessage, { numRuns: 2_000, seed: 1987 })
    .filter((message) => !cannotBeDissected(message, HOUSE.profile))
  assert.ok(messages.length > 200, `only ${messages.length} messages are left to compare`)
  assertTsharkAgrees(HOUSE, messages)
})

test('a field that tshark reads otherwise is named', (t) => {
  if (isSkipped(t)) return
  const [found] = dissectWithTshark([HOUSE.encode(anAuthorization('1'))], HOUSE.profile)
  assert.ok(found)

  const claimed = anAuthorization('2', { 37: '632514000001' })

  assert.deepEqual(disagreements(claimed, found, HOUSE.profile), [11, 37])
})
