import type pg from 'pg'

/** Far beyond what a sequence reaches, and short enough to be typed. */
const HIGHEST_KEPT = 1_000_000_000_000n
/** The meaning of one call of the gateway's sequences. */
const BLOCK = 1_000n

/** Assigns ids to imported rows: their former ones if those are free, else new ones. */
export interface ImportIds {
  /** An id for each of `wanted`, in the same order. */
  give(wanted: readonly string[]): Promise<string[]>
}

/**
 * @param reserving a connection that is in no transaction. It takes ids from the sequence for good,
 * and at once, so that no gateway waits for an import.
 */
export function createImportIds(
  reserving: pg.ClientBase,
  sequence: 'customer_ids' | 'payment_method_ids',
): ImportIds {
  /** No other row has or will get an id in this range. */
  const ours: { readonly from: bigint; readonly to: bigint }[] = []
  const given = new Set<bigint>()
  let fresh: bigint[] = []
  /** Lower ids were assigned before. */
  let beginning = 0n

  function isOurs(id: bigint): boolean {
    return !given.has(id) && ours.some(({ from, to }) => from <= id && id <= to)
  }

  /** Moves the sequence beyond `upTo`; all that it had not given out before is ours. */
  async function reserve(upTo: bigint): Promise<void> {
    await reserving.query('begin')
    try {
      // The only way to keep others from a sequence for a moment.
      await reserving.query(`alter sequence ${sequence} owned by none`)
      const { rows } = await reserving.query<{ next: string }>(
        `select case when is_called then last_value + ${BLOCK} else last_value end as next from ${sequence}`,
      )
      const from = BigInt((rows[0] as { next: string }).next)
      beginning = from
      if (upTo >= from) {
        const last = from + ((upTo - from) / BLOCK) * BLOCK
        await reserving.query(`select setval('${sequence}', $1, true)`, [last])
        ours.push({ from, to: last + BLOCK - 1n })
        beginning = last + BLOCK
      }
      await reserving.query('commit')
    } catch (error) {
      await reserving.query('rollback').catch(() => undefined)
      throw error
    }
  }

  async function next(): Promise<bigint> {
    if (fresh.length === 0) {
      const { rows } = await reserving.query<{ first: string }>(
        `select nextval('${sequence}') as first`,
      )
      const first = BigInt((rows[0] as { first: string }).first)
      fresh = Array.from({ length: Number(BLOCK) }, (_, at) => first + BLOCK - 1n - BigInt(at))
    }
    return fresh.pop() as bigint
  }

  return {
    async give(wanted) {
      const ids = wanted.map(BigInt)
      const beyond = ids.filter(
        (id) => beginning <= id && id <= HIGHEST_KEPT && !isOurs(id) && !given.has(id),
      )
      if (beyond.length > 0) await reserve(beyond.reduce((most, id) => (id > most ? id : most)))
      const result: string[] = []
      for (const id of ids) {
        const kept = isOurs(id) ? id : await next()
        given.add(kept)
        result.push(kept.toString())
      }
      return result
    },
  }
}
