import type pg from 'pg'

/** How many ids one call of a sequence stands for; the sequences step by as much. */
const BLOCK = 1_000n

const SEQUENCES = {
  request: 'request_ids',
  order: 'order_ids',
  line: 'line_ids',
  transaction: 'transaction_ids',
  customer: 'customer_ids',
  paymentMethod: 'payment_method_ids',
  advice: 'advice_ids',
  cardToken: 'card_token_ids',
  message: 'message_numbers',
  membership: 'membership_ids',
} as const

export type IdKind = keyof typeof SEQUENCES

/** Ids from blocks reserved durably; what a process had left when it ended is skipped for ever. */
export interface Ids {
  next(kind: IdKind): bigint | Promise<bigint>
}

interface Block {
  next: bigint
  end: bigint
  coming: Promise<void> | null
  spare: bigint | null
}

export function createIds(pool: pg.Pool): Ids {
  const blocks = new Map<IdKind, Block>()

  async function reserve(kind: IdKind): Promise<bigint> {
    const { rows } = await pool.query<{ first: string }>({
      name: `reserve ${SEQUENCES[kind]}`,
      text: `select nextval('${SEQUENCES[kind]}') as first`,
    })
    return BigInt((rows[0] as { first: string }).first)
  }

  function prefetch(kind: IdKind, block: Block): Promise<void> {
    block.coming ??= reserve(kind).then(
      (first) => {
        block.spare = first
        block.coming = null
      },
      (error: unknown) => {
        block.coming = null
        throw error
      },
    )
    return block.coming
  }

  async function refill(kind: IdKind, block: Block): Promise<bigint> {
    while (block.next === block.end) {
      if (block.spare === null) await prefetch(kind, block)
      take(block)
    }
    return block.next++
  }

  function take(block: Block): void {
    if (block.next !== block.end || block.spare === null) return
    block.next = block.spare
    block.end = block.spare + BLOCK
    block.spare = null
  }

  return {
    next(kind) {
      let block = blocks.get(kind)
      if (block === undefined) {
        block = { next: 0n, end: 0n, coming: null, spare: null }
        blocks.set(kind, block)
      }
      take(block)
      if (block.next === block.end) return refill(kind, block)
      const id = block.next++
      // Half of the block is left: enough to fetch the next one without a wait. A failure recurs,
      // and is reported, when the block is empty.
      if (block.end - block.next === BLOCK / 2n) prefetch(kind, block).catch(() => undefined)
      return id
    },
  }
}
