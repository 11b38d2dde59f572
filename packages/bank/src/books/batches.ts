import type { BrandTotals } from '@tollgate/iso8583'
import type { MovementGroup } from './due-movements.ts'
import type { Movement } from './order.ts'

/** The movements that a merchant put into one of its batches, of one currency. */
export interface Batch {
  readonly merchant: string
  /** The merchant's own number: tag BN. */
  readonly number: string
  /** ISO 4217 numeric. */
  readonly currency: string
  readonly movements: MovementGroup
  /** The totals by brand, kept up to date: a 0500 is answered without a look at each movement. */
  readonly totals: Map<string, Totals>
  /** The movements that wait for a settlement file once it is closed, by settlement currency. */
  readonly waiting: Map<string, MovementGroup>
  /** A 0500 has ended it: nothing comes into it any more. */
  closed: boolean
  /** `YYYY-MM-DD` of its last change. */
  lastDay: string
}

type Totals = Record<keyof Omit<BrandTotals, 'brand'>, MutableFigure>

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

  /** Puts a movement into its batch; null when that one is closed, which leaves it in none. */
  put(key: string, movement: Movement, number: string, day: string): Batch | null {
    const batch = this.open(movement.merchant, number, movement.balance.currency, day)
    if (batch.closed) return null
    movement.batch = number
    batch.movements.set(key, movement)
    count(batch, movement, 1)
    batch.lastDay = day
    return batch
  }

  /** Moves a movement from its batch to another one, as `put`; a closed batch keeps what it has. */
  move(key: string, movement: Movement, number: string, day: string): Batch | null {
    const old = this.#of(movement)
    if (old?.closed === true) return null
    if (old !== undefined) {
      old.movements.delete(key)
      count(old, movement, -1)
      for (const group of old.waiting.values()) group.delete(key)
    }
    movement.batch = ''
    return this.put(key, movement, number, day)
  }

  /** Counts that `minor` of a movement was reversed. */
  reverse(movement: Movement, minor: bigint): void {
    const batch = this.#of(movement)
    if (batch === undefined) return
    const totals = totalsIn(batch, movement.brand)
    const voided = movement.kind === 'capture' ? totals.voidedSales : totals.voidedRefunds
    // Its amount stays among the sales or refunds; a second reversal is of the same movement.
    add(voided, movement.voided === minor ? 1 : 0, minor)
    if (movement.amount > 0n || batch.closed) return
    for (const group of batch.waiting.values()) group.delete(movement.key)
  }

  #of({ balance, batch, merchant }: Movement): Batch | undefined {
    return this.find(merchant, batch, balance.currency)
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
      const empty = { movements: new Map(), totals: new Map(), waiting: new Map() }
      batch = { merchant, number, currency, ...empty, closed: false, lastDay: day }
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
  return [...(batch?.totals ?? [])]
    .filter(([, { sales, refunds }]) => sales.count + refunds.count > 0)
    .map(([brand, figures]) => ({ brand, ...figures }))
    .toSorted((left, right) => (left.brand < right.brand ? -1 : 1))
}

/** Counts a movement that comes into its batch, or with -1 one that leaves it. */
function count(batch: Batch, { amount, brand, kind, voided }: Movement, sign: 1 | -1): void {
  const totals = totalsIn(batch, brand)
  const isCapture = kind === 'capture'
  const minor = BigInt(sign)
  add(isCapture ? totals.sales : totals.refunds, sign, minor * (amount + voided))
  if (voided === 0n) return
  add(isCapture ? totals.voidedSales : totals.voidedRefunds, sign, minor * voided)
}

function totalsIn({ totals }: Batch, brand: string): Totals {
  let own = totals.get(brand)
  if (own === undefined) {
    own = { sales: none(), refunds: none(), voidedSales: none(), voidedRefunds: none() }
    totals.set(brand, own)
  }
  return own
}

interface MutableFigure {
  count: number
  minor: bigint
}

function none(): MutableFigure {
  return { count: 0, minor: 0n }
}

function add(figure: MutableFigure, count: number, minor: bigint): void {
  figure.count += count
  figure.minor += minor
}

function keyOf(merchant: string, number: string, currency: string): string {
  return `${merchant}/${number}/${currency}`
}
