import type { Transaction } from './answers.ts'
import { ClientError } from './client-error.ts'

/** How a request is sent and looked up. Both get the milliseconds to wait for an answer. */
export interface Attempt {
  /** For messages: the request by the shop's name for it. */
  readonly what: string
  /** Sends the same request again each time. */
  send(timeoutMs: number): Promise<Transaction>
  /**
   * The transaction of this name as the gateway has stored it; null: it has none.
   * @throws Error if the gateway does not answer this question
   */
  find(timeoutMs: number): Promise<Transaction | null>
}

/** Pauses before the first repeats, in milliseconds; the last one is for all further repeats. */
const PAUSES_MS = [250, 500, 1_000, 2_000]
/** SERVICE_RESPONSE: the reference or key belongs to a request with other content. */
const OTHER_CONTENT = '685'

/**
 * Sends a request until its outcome is certain or `withinMs` is over. One answer is waited for at
 * most half of that time, so that a lost answer is always followed by a repeat.
 *
 * An error after which it is certain that nothing was accepted ends it. If an earlier try is in
 * doubt, it does not: the gateway may be restarting with the outcome in its database.
 * @throws ClientError with 'no' if no try was accepted, with 'unknown' when the time is over
 */
export async function repeatUntilCertain(attempt: Attempt, withinMs: number): Promise<Transaction> {
  const end = performance.now() + withinMs
  const left = () => Math.ceil(Math.max(1, Math.min(withinMs / 2, end - performance.now())))
  let doubt: Doubt | null = null
  for (let tries = 1; ; tries += 1) {
    const result: Transaction | Doubt = await tryOnce(attempt, left, doubt)
    if (!('cause' in result)) return result
    doubt = result
    const planned = PAUSES_MS[Math.min(tries, PAUSES_MS.length) - 1] ?? 0
    // Short times are for answers, not for pauses.
    const pause = Math.min(planned, withinMs / 20)
    // A repeat in the last tenth would have no time for an answer.
    if (performance.now() + pause >= end - withinMs / 10)
      return giveUp(attempt, doubt, tries, withinMs)
    await new Promise((wake) => setTimeout(wake, pause))
  }
}

/** The last reason not to be certain. */
interface Doubt {
  readonly cause: unknown
  /** An answer that says that the payment is still running. */
  readonly running: Transaction | null
  /** The id of the last answer that had one, for the operator's logs; '' for none. */
  readonly httpRequestId: string
}

/** @throws ClientError with 'no' if nothing is in doubt */
async function tryOnce(
  { find, send }: Attempt,
  left: () => number,
  earlier: Doubt | null,
): Promise<Transaction | Doubt> {
  try {
    const answer = await send(left())
    const doubt = doubtOf(answer)
    if (doubt !== null) return doubt
    if (answer.status !== '' || earlier === null) return answer
    if (answer.service.code === OTHER_CONTENT) return answer
    // This repeat was refused, which says nothing about the tries before it.
    const found = await find(left())
    return found === null ? answer : (doubtOf(found) ?? found)
  } catch (error) {
    const isCertain = error instanceof ClientError && error.accepted === 'no'
    if (earlier === null && (isCertain || !(error instanceof ClientError))) throw error
    const id = error instanceof ClientError ? error.httpRequestId : ''
    const httpRequestId = id || (earlier?.httpRequestId ?? '')
    return { cause: error, running: earlier?.running ?? null, httpRequestId }
  }
}

/** Null if the answer is certain. */
function doubtOf(answer: Transaction): Doubt | null {
  const { httpRequestId } = answer
  if (answer.status === 'RUNNING')
    return { cause: 'it is still running', running: answer, httpRequestId }
  if (answer.status === '' && answer.api.code === '120')
    return { cause: `API 120 ${answer.api.advice}`.trim(), running: null, httpRequestId }
  return null
}

function giveUp(
  { what }: Attempt,
  { cause, httpRequestId, running }: Doubt,
  tries: number,
  withinMs: number,
): Transaction {
  if (running !== null) return running
  const last = cause instanceof Error ? cause.message : String(cause)
  throw new ClientError(
    `The outcome of ${what} is still unknown after ${tries} tries within ${withinMs / 1000} s. ` +
      `The last one: ${last} ` +
      `Make the same call again with the same reference or key.`,
    'unknown',
    { cause, httpRequestId },
  )
}
