import { invariant } from '../invariant.ts'
import type { RecordDraft } from './journal-record.ts'
import { isMovement } from './order.ts'
import type { Movement, Remembered } from './order.ts'

/** How a new movement counts in batches and files; `put` sets its batch. */
export function countedBy({ brand = '', key = '', original = key, rrn = '' }: RecordDraft) {
  const settled = { file: 0, line: 0, settled: 0n }
  return { brand, key, orderKey: original, rrn, voided: 0n, batch: '', ...settled }
}

/** A capture, refund or credit is refused by the network after all, before a file has it. */
export function rejectInFile(known: Remembered | undefined): void {
  invariant(known !== undefined && isMovement(known), 'something that moved nothing is rejected')
  invariant(known.file === 0 && known.amount > 0n, 'a settled or voided movement is rejected')
  known.rejectedInSettlement = true
}

/** Takes a reversed amount off a movement, its order and its account. */
export function reverseMovement(movement: Movement, amount: bigint): void {
  const { balance, order } = movement
  movement.amount -= amount
  movement.voided += amount
  if (movement.kind === 'capture') {
    invariant(order !== null, 'a capture has no order')
    order.captured -= amount
    // The hold of a reversed order is gone, so the money is free and cannot be captured again.
    if (order.reversed) order.approved -= amount
    balance.ledger += amount
  } else {
    if (order !== null) order.refunded -= amount
    balance.ledger -= amount
  }
}

/** Throws TypeError on a text that is no kind of movement. */
export function movementKind(text: string): Movement['kind'] {
  if (text === 'capture' || text === 'refund' || text === 'credit') return text
  throw new TypeError('A snapshot line names an unknown movement.')
}
