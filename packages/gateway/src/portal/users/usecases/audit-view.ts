/** The filters of a list of entries; null for any. */
export interface AuditFilter {
  /** A part of who. */
  readonly actor: string | null
  /** An entry's name, or all that begin with a word and a dot: `portal_user.`. */
  readonly operation: string | null
  /** A part of what it was done to. */
  readonly object: string | null
  readonly result: 'done' | 'refused' | 'failed' | null
  readonly since: Date | null
  readonly until: Date | null
}

export interface AuditRow {
  /** In the chain of the whole gateway: a merchant's own have gaps between them. */
  readonly number: bigint
  readonly at: Date
  readonly actor: string
  readonly operation: string
  readonly object: string
  readonly address: string
  readonly result: 'done' | 'refused' | 'failed'
  readonly details: Readonly<Record<string, unknown>>
}

export interface AuditPage {
  /** Newest first. */
  readonly entries: readonly AuditRow[]
  /** To be given as `before` for what is older; null at the end. */
  readonly next: bigint | null
}

/** A merchant's own entries; another's cannot be reached by any filter. */
export interface AuditView {
  /**
   * Looks through a bounded number of entries, so a page may hold fewer than `limit`, or none, and
   * still not be the last.
   */
  page(
    merchantId: bigint,
    filter: AuditFilter,
    before: bigint | null,
    limit: number,
  ): Promise<AuditPage>
}

/** Everything that fits, page by page. */
export async function* eachAuditRow(
  view: AuditView,
  merchantId: bigint,
  filter: AuditFilter,
): AsyncGenerator<AuditRow> {
  let before: bigint | null = null
  do {
    const page: AuditPage = await view.page(merchantId, filter, before, 1_000)
    yield* page.entries
    before = page.next
  } while (before !== null)
}
