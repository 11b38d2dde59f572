import type { Chance } from './chance.ts'
import { compareEvents } from './event-books.ts'
import { followFeed } from './event-feed.ts'
import type { Stage } from './stage.ts'
import { startWebhooks } from './webhook-books.ts'

/** The shops that learn of events. */
export interface EventReaders {
  /** How many events were read from the feed, and how many webhooks arrived with repeats. */
  counts(): { readonly events: number; readonly webhooks: number }
  /** Waits until both shops have everything; a sentence for what does not come in time. */
  finish(deadlineMs: number): Promise<readonly string[]>
  /** Differences between the facts of the gateway and what both shops learned. */
  compare(): Promise<readonly string[]>
  stop(): Promise<void>
}

/** One shop reads the feed, and another one gets webhooks. */
export async function startEventReaders(stage: Stage, chance: Chance): Promise<EventReaders> {
  const feed = followFeed(stage)
  const webhooks = await startWebhooks(stage, chance).catch(async (error: unknown) => {
    await feed.stop()
    throw error
  })
  return {
    counts: () => ({ events: feed.events.length, webhooks: webhooks.arrived.length }),
    async finish(deadlineMs) {
      await feed.untilEnd(deadlineMs)
      return webhooks.untilDelivered(deadlineMs)
    },
    compare: async () => [
      ...feed.faults,
      ...(await compareEvents(stage.pool, feed.events)),
      ...webhooks.compare(feed.events),
    ],
    async stop() {
      await feed.stop()
      await webhooks.stop()
    },
  }
}
