/** A row's place in its list, which never changes. */
export interface ListPlace {
  /** Microseconds since 1970; 0 in a list that is sorted by id alone. */
  readonly atMicros: bigint
  readonly id: bigint
}

/** The bounds of a list, which its first page fixed for all later ones. */
export interface ListBounds {
  /** Later rows are not shown: microseconds since 1970, or the highest id. */
  readonly watermark: bigint
  /** Rows before this moment are all there, in microseconds since 1970; null: not known. */
  readonly completeMicros: bigint | null
}

/** A place in a list as clients keep it; to them it is an opaque text. */
export interface ListCursor extends ListPlace, ListBounds {
  /** Of the list and the filter that the cursor goes with. */
  readonly filter: string
}

const VERSION = 'l1'
const FORM = /^l1\.([\w-]{1,32})\.(-?\d{1,18})\.(-?\d{1,18}|)\.(-?\d{1,18})\.(\d{1,18})$/

export function writeListCursor(cursor: ListCursor): string {
  const { atMicros, completeMicros, filter, id, watermark } = cursor
  const parts = [VERSION, filter, watermark, completeMicros ?? '', atMicros, id]
  return Buffer.from(parts.join('.')).toString('base64url')
}

/** Null for a text that no list gave. */
export function readListCursor(text: string): ListCursor | null {
  const [, filter, watermark, complete, at, id] =
    FORM.exec(Buffer.from(text, 'base64url').toString()) ?? []
  if (filter === undefined || watermark === undefined || at === undefined || id === undefined) {
    return null
  }
  const cursor = {
    filter,
    watermark: BigInt(watermark),
    completeMicros: complete === '' || complete === undefined ? null : BigInt(complete),
    atMicros: BigInt(at),
    id: BigInt(id),
  }
  return writeListCursor(cursor) === text ? cursor : null
}
