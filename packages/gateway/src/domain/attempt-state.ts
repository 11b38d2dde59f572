import { InvariantError } from '../base/invariant.ts'

/**
 * Where a transaction stands. `running`: the outcome is not known yet. `pending`: the shopper has
 * to pass a challenge first. The other three are final.
 */
export type TransactionState = 'running' | 'pending' | 'approved' | 'declined' | 'failed'

/** What can happen to a transaction. */
export type TransactionEvent =
  /** The bank said yes, and nothing of ours speaks against it. */
  | 'approve'
  /** The bank, the issuer or one of our own rules said no. */
  | 'decline'
  /** No answer could be had; what the bank may hold is being reversed. */
  | 'fail'
  /** The issuer wants to see the shopper before it answers. */
  | 'challenge'
  /** The shopper is back and the request goes on. */
  | 'resume'

/**
 * The whole life of a transaction. A state that is not left by any event is final: money was told
 * to a merchant then, and it may not change any more. A challenge that nobody finishes ends as a
 * decline.
 */
export const TRANSACTION_STATES: Readonly<
  Record<TransactionState, Readonly<Partial<Record<TransactionEvent, TransactionState>>>>
> = {
  running: { approve: 'approved', decline: 'declined', fail: 'failed', challenge: 'pending' },
  pending: { resume: 'running', decline: 'declined' },
  approved: {},
  declined: {},
  failed: {},
}

/** The state after an event; throws InvariantError when the event can't happen in this state. */
export function nextTransactionState(
  state: TransactionState,
  event: TransactionEvent,
): TransactionState {
  const next = TRANSACTION_STATES[state][event]
  if (next === undefined) {
    throw new InvariantError(`A transaction that is ${state} can't take the event ${event}.`)
  }
  return next
}
