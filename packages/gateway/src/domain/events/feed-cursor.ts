/** A place in the feed as clients keep it; to them it is an opaque text. */
export interface FeedCursor {
  readonly epoch: number
  readonly position: bigint
  /** Of the filter that the cursor goes with. */
  readonly filter: string
}

const VERSION = '1'
const FORM = /^1\.(\d{1,9})\.(\d{1,18})\.([\w-]{1,32})$/

export function writeCursor({ epoch, filter, position }: FeedCursor): string {
  return Buffer.from(`${VERSION}.${epoch}.${position}.${filter}`).toString('base64url')
}

/** Null for a text that no feed gave. */
export function readCursor(text: string): FeedCursor | null {
  const [, epoch, position, filter] = FORM.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (epoch === undefined || position === undefined || filter === undefined) return null
  const cursor = { epoch: Number(epoch), position: BigInt(position), filter }
  return writeCursor(cursor) === text ? cursor : null
}
