import type pg from 'pg'
import type { IdMarks } from './id-marks.ts'
import { BLOCK, BLOCK_SEQUENCES } from './id-sequences.ts'

export type IdKind = keyof typeof BLOCK_SEQUENCES

/** Ids from blocks reserved durably; what a process had left when it ended is skipped for ever. */
export interface Ids {
  next(kind: IdKind): bigint | Promise<bigint>
}

interface Block {
  next: bigint
  end: bigint
  coming: Promise<void> | null
  spare: bigint | null
  /** When the spare one was reserved. */
  spareMs: number
  /** From when on the rest of this one is left. */
  untilMs: number
}

const DAY_MS = 86_400_000

/**
 * How long a block may be used after it was reserved; without end for other kinds. Retention drops
 * old ranges of requests, and an id of such a range would have no place any more.
 */
const USABLE_MS: Readonly<Partial<Record<IdKind, number>>> = { request: DAY_MS }

/** Keeps blocks from being taken twice. */
export interface BlockGuard {
  readonly marks: IdMarks
  /** Moves the sequences beyond the marks: the database was replaced by an older copy. */
  advance(): Promise<void>
}

export function createIds(
  pool: pg.Pool,
  { marks, advance }: BlockGuard,
  monotonicMs: () => number,
): Ids {
  const blocks = new Map<IdKind, Block>()

  async function takeBlock(sequence: string): Promise<bigint> {
    const { rows } = await pool.query<{ first: string }>({
      name: `reserve ${sequence}`,
      text: `select nextval('${sequence}') as first`,
    })
    return BigInt((rows[0] as { first: string }).first)
  }

  /** Noted on the disk before any id of it is used. */
  async function reserve(kind: IdKind): Promise<bigint> {
    const sequence = BLOCK_SEQUENCES[kind]
    const known = marks.levels().get(sequence) ?? 0n
    let first = await takeBlock(sequence)
    if (first <= known) {
      await advance()
      first = await takeBlock(sequence)
    }
    await marks.note(new Map([[sequence, first + BLOCK - 1n]]))
    return first
  }

  function prefetch(kind: IdKind, block: Block): Promise<void> {
    const startedMs = monotonicMs()
    block.coming ??= reserve(kind).then(
      (first) => {
        block.spare = first
        block.spareMs = startedMs
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
      take(kind, block)
    }
    return block.next++
  }

  function leaveIfOld(block: Block): void {
    // Most kinds need no look at the clock, which each id of a payment would pay for.
    if (block.untilMs === Infinity || monotonicMs() < block.untilMs) return
    block.next = block.end
  }

  /** Goes on to the spare block where this one is used up or too old. */
  function take(kind: IdKind, block: Block): void {
    leaveIfOld(block)
    if (block.next !== block.end || block.spare === null) return
    block.untilMs = block.spareMs + (USABLE_MS[kind] ?? Infinity)
    block.next = block.spare
    block.end = block.spare + BLOCK
    block.spare = null
    leaveIfOld(block)
  }

  return {
    next(kind) {
      let block = blocks.get(kind)
      if (block === undefined) {
        block = { next: 0n, end: 0n, coming: null, spare: null, spareMs: 0, untilMs: Infinity }
        blocks.set(kind, block)
      }
      take(kind, block)
      if (block.next === block.end) return refill(kind, block)
      const id = block.next++
      // Half of the block is left: enough to fetch the next one without a wait. A failure recurs,
      // and is reported, when the block is empty.
      if (block.end - block.next === BLOCK / 2n) prefetch(kind, block).catch(() => undefined)
      return id
    },
  }
}
