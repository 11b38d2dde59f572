import { expiryIn } from '../support/dates.ts'
import { eventually, untilSeen } from '../support/eventually.ts'
import { CODE, type CardName } from './marks.ts'
import type { ProgramRun } from './program-run.ts'

/**
 * One way for marked values into the program. A new way is a file in `paths/` and a line in its
 * list.
 */
export interface Path {
  readonly name: string
  /** The marked cards that it pushes: each must have been seen by the request log, cut down. */
  readonly seen: readonly CardName[]
  readonly push: (run: ProgramRun) => Promise<void>
}

export const EXPIRY = expiryIn(9)

/** A payment with a marked card and the marked code. */
export function payment(number: string, amount = '10.00'): Record<string, string> {
  return {
    REQUEST_ACTION: 'CCAUTHCAP',
    PMT_NUMB: number,
    PMT_EXPIRY: EXPIRY,
    PMT_KEY: CODE,
    LI_VALUE_1: amount,
  }
}

/** One value of a JSON answer; '' when there is none. */
export function valueOf(answer: string, name: string): string {
  try {
    return String((JSON.parse(answer) as Record<string, unknown>)[name] ?? '')
  } catch {
    return ''
  }
}

/** A reference that no other request has. */
let references = 0
export function newReference(): string {
  references += 1
  return `canary-order-${references}`
}

/** Sends payments until one is approved: what was killed is there again. */
export async function untilServed(run: ProgramRun, number: string): Promise<void> {
  await untilSeen(
    'the program is back, and approves a payment',
    async () => valueOf(await run.send(payment(number)), 'TRANS_STATUS_NAME'),
    (status) => status === 'APPROVED',
    // A database and all workers start again, beside other tests on the same cores.
    { everyMs: 100, seconds: 180 },
  )
}

/** Waits until a statement gives a row. */
export async function untilRows(run: ProgramRun, sql: string): Promise<void> {
  await eventually(`a row comes of ${sql}`, async () => (await run.query(sql)).length > 0)
}

/** A few at a time, so that the program is busy and not flooded. */
export async function inTurn<Item>(
  atOnce: number,
  items: IterableIterator<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of items) await work(item)
    }),
  )
}
