import type { Movement } from './order.ts'

/** Movements by message key. */
export type MovementGroup = Map<string, Movement>

/** Copying so many takes less than a millisecond; a larger group stays as it is. */
const COPIED_AT_ONCE = 1_000

/**
 * The movements that wait for a settlement file. A batch that closes adds all of its movements at
 * once. No answer of the bank waits until a hundred thousand of them are copied.
 */
export class DueMovements {
  readonly #own: MovementGroup = new Map()
  readonly #groups: MovementGroup[] = []

  get size(): number {
    return this.#groups.reduce((size, group) => size + group.size, this.#own.size)
  }

  has(key: string): boolean {
    return this.#own.has(key) || this.#groups.some((group) => group.has(key))
  }

  add(movement: Movement): void {
    if (!this.has(movement.key)) this.#own.set(movement.key, movement)
  }

  /** Adds movements of which none is here yet. The caller gives the group away. */
  adopt(group: MovementGroup): void {
    if (group.size > COPIED_AT_ONCE) this.#groups.push(group)
    else for (const [key, movement] of group) this.#own.set(key, movement)
  }

  delete(key: string): void {
    for (const group of [this.#own, ...this.#groups]) group.delete(key)
    const last = this.#groups.at(-1)
    if (last?.size === 0) this.#groups.pop()
  }

  /** Deletes those of which nothing is left. */
  deleteVoided(): void {
    const voided = [...this.values()].filter(({ amount }) => amount === 0n)
    for (const { key } of voided) this.delete(key)
  }

  *values(): Generator<Movement> {
    yield* this.#own.values()
    for (const group of this.#groups) yield* group.values()
  }
}
