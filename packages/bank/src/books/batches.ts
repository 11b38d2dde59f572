import type { BrandTotals } from '@tollgate/iso8583'
import type { Movement } from './order.ts'

/** The movements that a merchant put into one of its batches, of one currency. */
export interface Batch {
  readonly merchant: string
  /** The merchant's own number: tag BN. */
  readonly number: string
  /** ISO 4217 numeric. */
  readonly currency: string
  readonly movements: Map<string, Movement>
  /** A 0500 has ended it: nothing comes into it any more. */
  closed: boolean
  /** `YYYY-MM-DD` of its last change. */
  lastDay: string
}

/**
 * The batches of the merchants. A movement is in the batch that its message names; one whose batch
 * is closed already is in none.
 */
export class Batches {
  readonly #batches = new Map<string, Batch>()

  find(merchant: string, number: string, currency: string): Batch | undefined {
    return this.#batches.get(keyOf(merchant, number, currency))
  }

  all(): Iterable<Batch> {
    return this.#batches.values()
  }

  /** Puts a movement into its batch, unless that one is closed. */
  put(key: string, movement: Movement, number: string, day: string): void {
    const batch = this.open(movement.merchant, number, movement.balance.currency, day)
    if (batch.closed) return
    movement.batch = number
    batch.movements.set(key, movement)
    batch.lastDay = day
  }

  /** Moves a movement from its batch to another one; a closed batch keeps what it has. */
  move(key: string, movement: Movement, number: string, day: string): void {
    const { merchant, balance, batch: from } = movement
    const old = this.find(merchant, from, balance.currency)
    if (old?.closed === true) return
    old?.movements.delete(key)
    movement.batch = ''
    this.put(key, movement, number, day)
  }

  close(merchant: string, number: string, currency: string, day: string): Batch {
    const batch = this.open(merchant, number, currency, day)
    batch.closed = true
    batch.lastDay = day
    return batch
  }

  /** The batch; an empty one is made if there is none. */
  open(merchant: string, number: string, currency: string, day: string): Batch {
    const key = keyOf(merchant, number, currency)
    let batch = this.#batches.get(key)
    if (batch === undefined) {
      const movements = new Map<string, Movement>()
      batch = { merchant, number, currency, movements, closed: false, lastDay: day }
      this.#batches.set(key, batch)
    }
    return batch
  }

  /** The closed ones for a snapshot, behind its movements: no movement could come into them. */
  *closed(): Generator<readonly [merchant: string, number: string, currency: string, day: string]> {
    for (const { merchant, number, currency, closed, lastDay } of this.#batches.values()) {
      if (closed) yield [merchant, number, currency, lastDay]
    }
  }

  /** Drops batches without a change since `day`. */
  forget(day: string): void {
    for (const [key, { lastDay }] of this.#batches) if (lastDay < day) this.#batches.delete(key)
  }
}

/** The totals of a batch, by brand in the sequence of their names. */
export function totalsOf(batch: Batch | undefined): BrandTotals[] {
  const sums = new Map<string, Record<keyof Omit<BrandTotals, 'brand'>, MutableFigure>>()
  for (const movement of batch?.movements.values() ?? []) {
    let own = sums.get(movement.brand)
    if (own === undefined) {
      own = { sales: none(), refunds: none(), voidedSales: none(), voidedRefunds: none() }
      sums.set(movement.brand, own)
    }
    const isCapture = movement.kind === 'capture'
    add(isCapture ? own.sales : own.refunds, movement.amount + movement.voided)
    if (movement.voided > 0n) add(isCapture ? own.voidedSales : own.voidedRefunds, movement.voided)
  }
  return [...sums]
    .map(([brand, figures]) => ({ brand, ...figures }))
    .toSorted((left, right) => (left.brand < right.brand ? -1 : 1))
}

interface MutableFigure {
  count: number
  minor: bigint
}

function none(): MutableFigure {
  return { count: 0, minor: 0n }
}

function add(figure: MutableFigure, minor: bigint): void {
  figure.count += 1
  figure.minor += minor
}

function keyOf(merchant: string, number: string, currency: string): string {
  return `${merchant}/${number}/${currency}`
}
