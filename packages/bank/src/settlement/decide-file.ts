import { randomUUID } from 'node:crypto'
import type { Movement } from '../books/order.ts'
import type { Decision, Plant, WaitingLine } from '../books/settlement-note.ts'
import type { Chain } from '../books/settlements.ts'
import { addDays } from './bank-days.ts'
import { TEXT_PLANTS } from './damage.ts'
import { LINE_PLANTS } from './plant-lines.ts'

/** The kinds of plants that the decision itself, the file's other lines, or its listing have. */
const OTHER_PLANTS = [
  ...(['missing_capture', 'refund_missing', 'doubled_later', 'monthly_fee_twice'] as const),
  ...(['reserve_six_percent', 'release_late', 'payout_missing', 'payout_short'] as const),
  ...(['kept_back', 'dispute_no_line'] as const),
]

/** Every kind of difference that a file can be given, by name. */
export const PLANT_KINDS: readonly string[] = [
  ...new Set([...LINE_PLANTS, ...TEXT_PLANTS, ...OTHER_PLANTS]),
].toSorted()

/** Whether the chain has anything for a file of this business day. */
export function hasContent(chain: Chain, businessDate: string): boolean {
  const isHeld = chain.held.some(({ releaseOn }) => releaseOn <= businessDate)
  const hasLine = chain.waiting.some((line) => !isLate(line, businessDate))
  return isHeld || hasLine || freeMovements(chain, businessDate).length > 0
}

/** The amount of the row by which a capture is disputed, such as `9113.01`; null for none. */
export type DisputeOf = (capture: Movement) => string | null

/** The decision for the chain's next file. `now` is UTC, ISO 8601. */
export function decideFile(
  chain: Chain,
  businessDate: string,
  plants: readonly Plant[],
  now: string,
  disputeOf: DisputeOf,
): Decision {
  const day = businessDate > chain.businessDate ? businessDate : chain.businessDate
  const free = freeMovements(chain, day)
  const sales = free.filter(
    ({ kind, rejectedInSettlement }) => kind === 'capture' && !rejectedInSettlement,
  )
  const refunds = free.filter(({ kind }) => kind !== 'capture')
  const keysOf = (kinds: readonly string[], of: readonly Movement[]) =>
    plants
      .filter(({ kind }) => kinds.includes(kind))
      .flatMap(({ nth, days }) => {
        const movement = of[nth - 1]
        return movement === undefined ? [] : [[movement.key, addDays(day, days)] as const]
      })
  const stillLater = chain.postponed.filter(([, until]) => until > day)
  const missing = keysOf(['missing_capture'], sales)
  const late = plants.find(({ kind }) => kind === 'release_late')
  const due = chain.held.filter(({ releaseOn }) => releaseOn <= day)
  return {
    step: 'decided',
    seq: chain.seq + 1,
    fileId: randomUUID(),
    receiver: receiverOf(chain),
    created: now,
    businessDate: day,
    ...periodOf(chain, day, plants),
    postponed: [...stillLater, ...missing, ...keysOf(['refund_missing'], refunds)],
    lateLines: lateLines(chain, day, plants),
    disputes: disputesOf(
      sales.filter(({ key }) => !missing.some(([other]) => other === key)),
      disputeOf,
    ),
    delayed:
      late === undefined ? [] : due.map(({ ref }) => [ref, addDays(day, late.days)] as const),
    again: keysOf(['doubled_later', 'reject_then_settled'], sales).map(([key]) => key),
    plants,
  }
}

function isLate({ until = '' }: WaitingLine, day: string): boolean {
  return until > day
}

/** The lines of disputes that are late on purpose, by their places among the waiting lines. */
function lateLines(
  { waiting }: Chain,
  day: string,
  plants: readonly Plant[],
): NonNullable<Decision['lateLines']> {
  const places = waiting.flatMap((line, at) =>
    line.case === undefined || isLate(line, day) ? [] : [at],
  )
  return plants
    .filter(({ kind }) => kind === 'dispute_no_line')
    .flatMap(({ days, nth }) => {
      const at = places[nth - 1]
      return at === undefined ? [] : [[at, addDays(day, days)] as const]
    })
}

/** The disputed ones of the sales that no file has had yet. */
function disputesOf(
  sales: readonly Movement[],
  disputeOf: DisputeOf,
): NonNullable<Decision['disputes']> {
  return sales.flatMap((sale) => {
    const amount = sale.file === 0 ? disputeOf(sale) : null
    return amount === null ? [] : [[sale.key, amount] as const]
  })
}

/** DE 32 of the messages in the file, else that of the file before or of the disputed order. */
function receiverOf({ due, receiver, waiting }: Chain): string {
  const key = due.values().next().value?.key ?? (receiver === '' ? waiting[0]?.order : receiver)
  return key?.split('/')[0] ?? 'unknown'
}

/** The movements that may be in a file of this day, in the sequence in which they came. */
function freeMovements({ due, postponed }: Chain, day: string): Movement[] {
  const later = new Set(postponed.filter(([, until]) => until > day).map(([key]) => key))
  return [...due.values()]
    .filter(({ amount, key }) => amount > 0n && !later.has(key))
    .toSorted((left, right) => left.offset - right.offset)
}

/** The first file of a month is charged the fee of the month of the file before. */
function periodOf(
  { businessDate }: Chain,
  day: string,
  plants: readonly Plant[],
): Pick<Decision, 'period'> {
  const isPlanted = plants.some(({ kind }) => kind === 'monthly_fee_twice')
  const before = businessDate === '' ? addDays(`${day.slice(0, 7)}-01`, -1) : businessDate
  const isNewMonth = businessDate !== '' && businessDate.slice(0, 7) < day.slice(0, 7)
  return isNewMonth || isPlanted ? { period: before.slice(0, 7) } : {}
}
