import type { Version } from './field-rule.ts'
import type { Habit } from './habits.ts'
import type { HttpsReply } from './https-listener.ts'
import { maskPan } from './message-journal.ts'

/** The final decision of the ACS. */
export interface ChallengeOutcome {
  readonly status: 'Y' | 'N' | 'U' | 'A' | 'R'
  readonly reason?: string
  readonly cancel?: string
}

/** A challenge from the ARes to its end. */
export interface Challenge {
  state: 'waiting' | 'open' | 'ended'
  /** Codes that were entered. */
  attempts: number
  resends: number
  windowSize: string
  sessionData: string | null
  outcome: ChallengeOutcome | null
  /** The page that returns the browser, once the result is delivered. */
  ending: Promise<HttpsReply> | null
  /** Cancels the running timer. */
  callOff: () => void
}

/** One authentication. The card number is in memory only. */
export interface Transaction {
  readonly threeDSServerTransID: string
  readonly dsTransID: string
  readonly version: Version
  readonly habit: Habit
  readonly pan: string
  /** Minor units. */
  readonly amount: bigint
  /** ISO 4217 numeric. */
  readonly currency: string
  readonly category: string
  readonly threeDSServerURL: string
  readonly notificationURL: string
  readonly merchantName: string
  /** `YYYYMMDDHHMMSS`, UTC. */
  readonly purchaseDate: string
  readonly phone: string
  acsTransID: string
  /** Of the ARes. */
  transStatus: string | null
  challenge: Challenge | null
  /** The answer to the RReq. */
  resultsStatus: string | null
}

const MOST_TRANSACTIONS = 10_000

/** The authentications in the simulator's memory. A restart loses them. */
export class Transactions {
  readonly #byDs = new Map<string, Transaction>()
  readonly #byServer = new Map<string, Transaction>()
  readonly #byAcs = new Map<string, Transaction>()

  add(transaction: Transaction): void {
    this.#byDs.set(transaction.dsTransID, transaction)
    this.#byServer.set(transaction.threeDSServerTransID, transaction)
    this.#byAcs.set(transaction.acsTransID, transaction)
    if (this.#byDs.size <= MOST_TRANSACTIONS) return
    const [oldest] = this.#byDs.values()
    if (oldest !== undefined) this.#forget(oldest)
  }

  byDs(id: string): Transaction | undefined {
    return this.#byDs.get(id)
  }

  byServer(id: string): Transaction | undefined {
    return this.#byServer.get(id)
  }

  byAcs(id: string): Transaction | undefined {
    return this.#byAcs.get(id)
  }

  /** By any of its three ids. */
  find(id: string): Transaction | undefined {
    return this.byServer(id) ?? this.byDs(id) ?? this.byAcs(id)
  }

  clear(): void {
    for (const transaction of this.#byDs.values()) this.#forget(transaction)
  }

  #forget(transaction: Transaction): void {
    transaction.challenge?.callOff()
    this.#byDs.delete(transaction.dsTransID)
    this.#byServer.delete(transaction.threeDSServerTransID)
    this.#byAcs.delete(transaction.acsTransID)
  }
}

/** A transaction for the control API: no whole card number, no code, no CAVV. */
export function showTransaction(transaction: Transaction): Record<string, unknown> {
  const { challenge } = transaction
  return {
    threeDSServerTransID: transaction.threeDSServerTransID,
    dsTransID: transaction.dsTransID,
    acsTransID: transaction.acsTransID,
    messageVersion: transaction.version,
    card: maskPan(transaction.pan),
    does: transaction.habit,
    amountMinor: transaction.amount.toString(),
    currency: transaction.currency,
    transStatus: transaction.transStatus,
    challenge:
      challenge === null
        ? null
        : {
            state: challenge.state,
            attempts: challenge.attempts,
            resends: challenge.resends,
            windowSize: challenge.windowSize,
            outcome: challenge.outcome,
          },
    resultsStatus: transaction.resultsStatus,
  }
}
