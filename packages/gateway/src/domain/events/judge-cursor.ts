import type { FeedCursor } from './feed-cursor.ts'

/** The bounds of the feed that a cursor is judged by. */
export interface FeedBounds {
  readonly epoch: number
  /** The last position. */
  readonly last: bigint
  /** The position before the oldest event that is kept. */
  readonly beforeOldest: bigint
  /** The first position of each epoch, by its number. */
  readonly firstOfEpoch: ReadonlyMap<number, bigint>
}

export type CursorVerdict =
  | { readonly kind: 'good' }
  /** Events behind it are gone; the feed goes on from `position`. */
  | { readonly kind: 'expired'; readonly position: bigint }
  /** The client has read events that the database lost; both agree up to `position`. */
  | { readonly kind: 'forked'; readonly position: bigint }

/** Whether everything behind a cursor is in the feed, and in the history of the client. */
export function judgeCursor(
  { epoch, position }: Pick<FeedCursor, 'epoch' | 'position'>,
  bounds: FeedBounds,
): CursorVerdict {
  const shared = lastShared(epoch, bounds)
  if (position > shared) return { kind: 'forked', position: max(shared, bounds.beforeOldest) }
  if (position < bounds.beforeOldest) return { kind: 'expired', position: bounds.beforeOldest }
  return { kind: 'good' }
}

/** The last position that the history of an epoch and the one of now have in common. */
function lastShared(epoch: number, bounds: FeedBounds): bigint {
  if (epoch === bounds.epoch) return bounds.last
  // An epoch of the future: the database is a copy from before it.
  const next = epoch > bounds.epoch ? bounds.epoch : epoch + 1
  const first = bounds.firstOfEpoch.get(next) ?? 1n
  return first - 1n
}

function max(left: bigint, right: bigint): bigint {
  return left > right ? left : right
}
