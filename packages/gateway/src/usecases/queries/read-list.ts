import {
  readListCursor,
  writeListCursor,
  type ListCursor,
} from '../../domain/queries/list-cursor.ts'
import type { ListFilter, ListReader } from './list-reader.ts'
import type { ListedRows, ListName } from './listed-rows.ts'

export interface ListRequest<Name extends ListName> {
  readonly list: Name
  readonly filter: ListFilter
  /** The cursor as sent; '' for the first page. */
  readonly after: string
}

/** A row with the cursor behind it. */
export interface CursoredRow<Row> {
  readonly row: Row
  readonly cursor: string
}

export interface ListAnswerPage<Row> {
  readonly rows: readonly CursoredRow<Row>[]
  /** Null at the end of the list. */
  readonly next: string | null
}

/** A list whose bounds are fixed. */
export interface OpenList<Row> {
  /** Rows before this moment are all there; null: not known. */
  readonly completeUntil: Date | null
  page(limit: number): Promise<ListAnswerPage<Row>>
  /** Groups of rows, the next one read once it is asked for; null `most` for all rows. */
  pieces(most: number | null): AsyncGenerator<ListAnswerPage<Row>>
}

export type ListAnswer<Row> =
  | { readonly kind: 'open'; readonly list: OpenList<Row> }
  | { readonly kind: 'cursor_invalid' | 'filter_changed' }

export type OpenLists = <Name extends ListName>(
  request: ListRequest<Name>,
) => Promise<ListAnswer<ListedRows[Name]>>

export interface OpenListDeps {
  readonly reader: ListReader
  readonly digest: (text: string) => string
  readonly now: () => Date
}

/** Rows that are read at once for a file. */
const PIECE = 1_000

/** Opens a list at its beginning, or behind a cursor with the bounds of its first page. */
export function createOpenLists({ digest, now, reader }: OpenListDeps): OpenLists {
  return async ({ after, filter, list }) => {
    const filterDigest = digest(filterText(list, filter))
    const read = after === '' ? null : readListCursor(after)
    if (after !== '' && read === null) return { kind: 'cursor_invalid' }
    if (read !== null && read.filter !== filterDigest) return { kind: 'filter_changed' }

    const bounds = read ?? (await reader.readBounds(list, filter, now()))
    const { completeMicros, watermark } = bounds
    const cursorAt = (place: Pick<ListCursor, 'atMicros' | 'id'>): string =>
      writeListCursor({ ...place, watermark, completeMicros, filter: filterDigest })

    async function readFrom(place: typeof read, limit: number) {
      const page = await reader.readPage(list, filter, bounds, place, limit)
      const { next } = page
      return {
        rows: page.rows.map(({ place: at, row }) => ({ row, cursor: cursorAt(at) })),
        next: next === null ? null : cursorAt(next),
      }
    }
    return {
      kind: 'open',
      list: {
        completeUntil: completeMicros === null ? null : new Date(Number(completeMicros / 1000n)),
        page: (limit) => readFrom(read, limit),
        async *pieces(most) {
          let place = read
          let left = most ?? Infinity
          do {
            const piece = await readFrom(place, Math.min(PIECE, left))
            yield piece
            left -= piece.rows.length
            place = piece.next === null ? null : readListCursor(piece.next)
          } while (place !== null && left > 0)
        },
      },
    }
  }
}

function filterText(list: ListName, { from, merchantId, to, values }: ListFilter): string {
  const named = [...values].map(([name, value]) => `${name}=${value}`).toSorted()
  return JSON.stringify([list, merchantId.toString(), from, to, named])
}
