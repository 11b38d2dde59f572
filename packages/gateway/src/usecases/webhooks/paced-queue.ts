import type { DeliveryPace } from '../../domain/webhooks/delivery-pace.ts'
import type { DeliveryQueue } from './delivery-ports.ts'

export interface PacedQueue extends DeliveryQueue {
  /** From now on it gives that many deliveries at most, until it is called again. */
  follow(pace: DeliveryPace): void
}

/** A queue that gives a process no more work than its pace allows, and none at first. */
export function createPacedQueue(queue: DeliveryQueue): PacedQueue {
  let left = 0
  let isSparing = false
  return {
    ...queue,
    follow(pace) {
      left = pace.starts
      isSparing = pace.isSparing
    },
    fanOut: (now) => (isSparing ? queue.fanOutSparingly(now) : queue.fanOut(now)),
    async claim(endpoint, now, limit) {
      const room = Math.min(limit, left)
      if (room <= 0) return { deliveries: [], secrets: [] }
      const claimed = await queue.claim(endpoint, now, room)
      left -= claimed.deliveries.length
      return claimed
    },
  }
}
