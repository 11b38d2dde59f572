import type pg from 'pg'

/** The data keys that were destroyed, as a process without any data key knows them. */
export interface DestroyedKeys {
  /** Null for a key that was not destroyed, as far as this process has heard. */
  find(dataKeyId: number): { readonly at: Date; readonly by: string } | null
  refresh(): Promise<void>
}

/** Knows none before the first refresh. */
export function createDestroyedKeys(pool: Pick<pg.Pool, 'query'>): DestroyedKeys {
  let known: ReadonlyMap<number, { readonly at: Date; readonly by: string }> = new Map()
  return {
    find: (dataKeyId) => known.get(dataKeyId) ?? null,
    async refresh() {
      const { rows } = await pool.query<{ id: number; at: Date; by: string }>({
        name: 'destroyed data keys',
        text: `select id, destroyed_at as at, destroyed_by as by
                 from data_keys where state = 'destroyed'`,
      })
      known = new Map(rows.map(({ at, by, id }) => [id, { at, by }]))
    },
  }
}
