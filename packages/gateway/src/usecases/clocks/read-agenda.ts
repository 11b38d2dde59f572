import type { AgendaEntry, AgendaSource, ClockedSite } from './due-source.ts'

/** The entry after which to go on: its moment, its source and its id there. */
export interface AgendaCursor {
  readonly at: Date
  readonly source: string
  readonly id: bigint
}

export type SourcedEntry = AgendaEntry & { readonly source: string }

export interface AgendaPage {
  readonly entries: readonly SourcedEntry[]
  /** Null where nothing more is known of. */
  readonly next: AgendaCursor | null
}

export type ReadAgenda = (
  site: ClockedSite,
  after: AgendaCursor | null,
  limit: number,
) => Promise<AgendaPage>

export const AGENDA_LIMIT = 500
const BEFORE_ALL = { at: new Date(0), id: 0n }
const LAST_ID = 2n ** 63n - 1n

/** The coming events of a site, the earliest first: by moment, then source, then id. */
export function createReadAgenda(sources: readonly AgendaSource[]): ReadAgenda {
  return async (site, after, limit) => {
    const found = await Promise.all(
      sources.map(async (source) => {
        const entries = await source.upcoming(site, placeIn(source.name, after), limit + 1)
        return entries.map((entry): SourcedEntry => ({ ...entry, source: source.name }))
      }),
    )
    const all = found.flat().toSorted(inSequence)
    const entries = all.slice(0, limit)
    const last = entries.at(-1)
    return {
      entries,
      next:
        all.length > limit && last !== undefined
          ? { at: last.at, source: last.source, id: last.id }
          : null,
    }
  }
}

/** Of the cursor's moment a source has been shown all, up to an id, or nothing yet. */
function placeIn(
  source: string,
  after: AgendaCursor | null,
): { readonly at: Date; readonly id: bigint } {
  if (after === null) return BEFORE_ALL
  const { at, id } = after
  if (source === after.source) return { at, id }
  return { at, id: source < after.source ? LAST_ID : -1n }
}

function inSequence(one: SourcedEntry, other: SourcedEntry): number {
  const apart = one.at.getTime() - other.at.getTime()
  if (apart !== 0) return apart
  if (one.source !== other.source) return one.source < other.source ? -1 : 1
  return one.id < other.id ? -1 : 1
}
