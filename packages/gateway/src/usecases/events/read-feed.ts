import { readCursor, writeCursor } from '../../domain/events/feed-cursor.ts'
import { judgeCursor } from '../../domain/events/judge-cursor.ts'
import { describeEvent } from './describe-event.ts'
import type { EventBell } from './event-bell.ts'
import type { FeedFilter, FeedReader } from './event-store.ts'

export interface FeedRequest {
  readonly filter: FeedFilter
  /** The cursor as sent; '' for the oldest event that is kept. */
  readonly after: string
  readonly limit: number
  /** How long the request waits for an event; 0 answers at once. */
  readonly waitMs: number
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
}

export type FeedAnswer =
  | {
      readonly kind: 'page'
      /** JSON texts. */
      readonly events: readonly string[]
      readonly cursor: string
      readonly hasMore: boolean
    }
  /** Events are missing between the cursor and the one to go on from. */
  | { readonly kind: 'cursor_expired' | 'feed_forked'; readonly cursor: string }
  | { readonly kind: 'cursor_invalid' | 'filter_changed' }

export type ReadFeed = (request: FeedRequest) => Promise<FeedAnswer>

export interface ReadFeedDeps {
  readonly reader: FeedReader
  readonly bell: EventBell
  /** Whether rings of other processes arrive. */
  readonly isHeard: () => boolean
  readonly isStopping: () => boolean
  readonly digest: (text: string) => string
  readonly monotonicMs: () => number
}

/** A lost ring costs at most this. */
const LOOK_EVERY_MS = 5_000
/** The same if no rings arrive. */
const LOOK_UNHEARD_EVERY_MS = 250

/** Reads a page of the feed, and waits for one without a database connection. */
export function createReadFeed(deps: ReadFeedDeps): ReadFeed {
  return async ({ after, filter, limit, signal, waitMs }) => {
    const filterDigest = deps.digest(filterText(filter))
    const read = after === '' ? null : readCursor(after)
    if (after !== '' && read === null) return { kind: 'cursor_invalid' }
    if (read !== null && read.filter !== filterDigest) return { kind: 'filter_changed' }

    const endMs = deps.monotonicMs() + waitMs
    let place = read
    for (;;) {
      // Before the feed is read: what comes since rings.
      const listening = deps.bell.listen(filter.merchantId)
      try {
        const bounds = await deps.reader.readBounds()
        const cursorAt = (position: bigint): string =>
          writeCursor({ epoch: bounds.epoch, position, filter: filterDigest })
        place ??= { epoch: bounds.epoch, position: bounds.beforeOldest, filter: filterDigest }
        const verdict = judgeCursor(place, bounds)
        if (verdict.kind !== 'good') {
          const kind = verdict.kind === 'expired' ? 'cursor_expired' : 'feed_forked'
          return { kind, cursor: cursorAt(verdict.position) }
        }
        const page = await deps.reader.readPage(filter, place.position, limit)
        // Up to the last position of before, nothing of the filter is left: the cursor of a quiet
        // merchant stays young.
        const position = page.hasMore || page.position > bounds.last ? page.position : bounds.last
        const remainingMs = endMs - deps.monotonicMs()
        const isOver = remainingMs <= 0 || signal.aborted || deps.isStopping()
        if (page.events.length > 0 || page.hasMore || isOver) {
          const { hasMore } = page
          const events = page.events.map(describeEvent)
          return { kind: 'page', events, cursor: cursorAt(position), hasMore }
        }
        place = { ...place, epoch: bounds.epoch, position }
        const lookMs = deps.isHeard() ? LOOK_EVERY_MS : LOOK_UNHEARD_EVERY_MS
        await listening.wait(Math.min(remainingMs, lookMs))
      } finally {
        listening.end()
      }
    }
  }
}

function filterText({ merchantId, siteId, types }: FeedFilter): string {
  return `${merchantId} ${siteId ?? ''} ${types.toSorted().join(' ')}`
}
