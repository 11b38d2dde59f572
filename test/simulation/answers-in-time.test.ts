import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Purchase } from './merchant.ts'
import type { Request } from './requests.ts'
import { end } from './schedule.ts'
import { FINE } from './weather.ts'
import { World } from './world.ts'

const SALE: Purchase = {
  kind: 'sale',
  lines: [1_000n],
  script: 'approve',
  reference: 'order-1',
  duplicates: 'replay',
  partialAllowed: false,
  cardExpired: false,
  key: '',
}

/** The limit of every answer (R9). */
const ANSWER_WITHIN_MS = 30_000

interface Answered {
  readonly request: Request
  readonly tookMs: number
}

/** Sends purchases so many milliseconds after the start, to a bank that never answers. */
async function atSilentBank(
  ...sent: readonly (readonly [afterMs: number, purchase: Purchase])[]
): Promise<readonly Answered[]> {
  const world = new World({
    seed: 1,
    weather: FINE,
    processes: 2,
    script: {
      journey: (message) => (message.startsWith('sale') ? { answerLost: true } : {}),
    },
  })
  const answers = sent.map(async ([afterMs, purchase]) => {
    await world.scheduler.pause(null, afterMs)
    const startMs = world.scheduler.now
    const request = await world.pay(purchase)
    return { request, tookMs: world.scheduler.now - startMs }
  })
  world.play(async () => {
    await Promise.all(answers)
  })
  await world.playOut()
  const { broken } = await end(world, 1)
  assert.deepEqual(broken, [])
  return Promise.all(answers)
}

function failedAs({ request }: Answered): bigint | null {
  const { told } = request
  return told?.kind === 'told' && told.state === 'failed' ? told.transactionId : null
}

test('a repeat that waits for a payment is answered with its failure, and does not reach the bank', async () => {
  const answers = await atSilentBank([0, SALE], [5_000, SALE], [20_000, SALE])

  const [first, ...repeats] = answers.map(failedAs)
  assert.ok(first)
  assert.deepEqual(repeats, [first, first])
  for (const { tookMs } of answers) assert.ok(tookMs <= ANSWER_WITHIN_MS, `${tookMs} ms`)
})

test('a payment that waited for another reference holder is answered within thirty seconds', async () => {
  const refusing: Purchase = { ...SALE, duplicates: 'refuse' }
  for (const afterMs of [2_000, 6_000, 10_000, 20_000]) {
    const answers = await atSilentBank([0, refusing], [afterMs, refusing])

    const [first, second] = answers.map(failedAs)
    assert.ok(first)
    assert.notEqual(second, first)
    const isRefused = answers[1]?.request.told?.kind === 'refused'
    assert.equal(isRefused, afterMs === 2_000, 'the reference was still held after twenty seconds')
    for (const { tookMs } of answers) assert.ok(tookMs <= ANSWER_WITHIN_MS, `${tookMs} ms`)
  }
})
