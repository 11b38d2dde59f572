import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  ClaimedDelivery,
  DeliveryQueue,
  ReadyEndpoint,
} from '../../../src/usecases/webhooks/delivery-ports.ts'
import { createPacedQueue } from '../../../src/usecases/webhooks/paced-queue.ts'

test('a paced queue claims for all endpoints together what its pace allows, and fans out as it says', async () => {
  const limits: number[] = []
  const fannedOut: string[] = []
  const queue: Partial<DeliveryQueue> = {
    fanOut: () => Promise.resolve(fannedOut.push('wholly') > 0),
    fanOutSparingly: () => Promise.resolve(fannedOut.push('sparingly') > 0),
    claim: (_endpoint, _now, limit) => {
      limits.push(limit)
      const deliveries = Array.from({ length: Math.min(limit, 4) }, () => ({}) as ClaimedDelivery)
      return Promise.resolve({ deliveries, secrets: [] })
    },
  }
  const paced = createPacedQueue(queue as DeliveryQueue)
  const now = new Date()
  const claim = async (limit: number): Promise<number> =>
    (await paced.claim({} as ReadyEndpoint, now, limit)).deliveries.length

  assert.equal(await claim(10), 0)
  paced.follow({ starts: 6, restMs: 0, isSparing: true })
  assert.deepEqual([await claim(10), await claim(10), await claim(10)], [4, 2, 0])
  await paced.fanOut(now)
  paced.follow({ starts: 200, restMs: 0, isSparing: false })
  assert.equal(await claim(3), 3)
  await paced.fanOut(now)
  assert.deepEqual(limits, [6, 2, 3])
  assert.deepEqual(fannedOut, ['sparingly', 'wholly'])
})
