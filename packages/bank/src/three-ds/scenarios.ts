import { habitOf } from './cards.ts'
import { isFaultHabit } from './habits.ts'
import type { FaultHabit, Habit } from './habits.ts'

/** Faults of a method page. It knows no card, so only these rules can produce them. */
export const METHOD_FAULTS = ['method_silent', 'method_wrong_id'] as const
export type MethodFault = (typeof METHOD_FAULTS)[number]

/** The faults to inject next, for any card: each is done once. */
export class Scenarios {
  readonly #requests: FaultHabit[] = []
  readonly #pages: MethodFault[] = []

  /** Adds a fault `count` times. False for an unknown name. */
  add(name: string, count: number): boolean {
    const page = METHOD_FAULTS.find((fault) => fault === name)
    for (let index = 0; index < count; index += 1) {
      if (page !== undefined) this.#pages.push(page)
      else if (isFaultHabit(name)) this.#requests.push(name)
      else return false
    }
    return true
  }

  /** The result for the next AReq. */
  nextHabit(pan: string): Habit {
    return this.#requests.shift() ?? habitOf(pan)
  }

  nextMethodFault(): MethodFault | null {
    return this.#pages.shift() ?? null
  }

  /** The faults that are still to be done. */
  all(): readonly string[] {
    return [...this.#pages, ...this.#requests]
  }

  clear(): number {
    const removed = this.all().length
    this.#requests.length = 0
    this.#pages.length = 0
    return removed
  }
}
