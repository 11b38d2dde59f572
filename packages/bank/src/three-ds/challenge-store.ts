import { randomUUID } from 'node:crypto'
import { cresOf, resultOf, technicalReason } from './challenge-result.ts'
import type { HttpsReply } from './https-listener.ts'
import { ProtocolError } from './protocol-error.ts'
import type { Message } from './protocol-error.ts'
import type { Schedule } from './schedule.ts'
import type { Challenge, ChallengeOutcome, Transaction } from './transactions.ts'

const CREQ_WAIT_MS = 30_000
const SCREEN_MS = 600_000
const RRES_WAIT_MS = 5_000
const LATE_RREQ_MS = 1_000
const MOST_ATTEMPTS = 3
const MOST_RESENDS = 3

/** Results of the codes of the challenge page; any other code is wrong. */
export const CODES: Readonly<Record<string, ChallengeOutcome['status']>> = {
  '1234': 'Y',
  '1111': 'N',
  '2222': 'A',
  '3333': 'U',
  '4444': 'R',
}

/** The next screen of the cardholder. */
export type Screen =
  | { readonly kind: 'page'; readonly notice: 'first' | 'wrong' | 'sent_again' | 'no_more_codes' }
  | { readonly kind: 'ended'; readonly reply: Promise<HttpsReply> }

export interface ChallengeStoreParts {
  readonly schedule: Schedule
  readonly cavvKey: Buffer
  /** Sends an RReq until it is answered. */
  readonly deliver: (rreq: Message) => Promise<boolean>
  /** The page that returns the browser to the 3DS Server, with a CRes or an Erro. */
  readonly release: (transaction: Transaction, message: Message | ProtocolError) => HttpsReply
}

/** Challenges from the ARes on: one CReq, some screens, one outcome, one result. */
export class ChallengeStore {
  readonly #parts: ChallengeStoreParts

  constructor(parts: ChallengeStoreParts) {
    this.#parts = parts
  }

  /** Waits for the CReq: 30 seconds from the ARes. */
  expect(transaction: Transaction): void {
    const challenge: Challenge = {
      state: 'waiting',
      attempts: 0,
      resends: 0,
      windowSize: '05',
      sessionData: null,
      outcome: null,
      ending: null,
      callOff: () => undefined,
    }
    transaction.challenge = challenge
    challenge.callOff = this.#parts.schedule.after(CREQ_WAIT_MS, () => {
      const late = new ProtocolError('402', 'The CReq came more than 30 seconds after the ARes.')
      void this.#end(transaction, challenge, { status: 'N', reason: '14', cancel: '05' }, late)
    })
  }

  /** Starts with a valid CReq. Throws ProtocolError for one that is late or repeated. */
  begin(transaction: Transaction, windowSize: string, sessionData: string | null): Screen {
    const challenge = transaction.challenge
    if (challenge === null || challenge.state === 'open') throw repeated()
    if (challenge.state === 'ended') {
      if (challenge.outcome?.cancel === '05') {
        throw new ProtocolError('402', 'The CReq came more than 30 seconds after the ARes.')
      }
      throw repeated()
    }
    challenge.state = 'open'
    challenge.windowSize = windowSize
    challenge.sessionData = sessionData
    const reason = technicalReason(transaction)
    if (transaction.habit === 'challenge_unavailable') {
      return this.#ended(transaction, challenge, { status: 'U', reason })
    }
    if (transaction.habit === 'challenge_error') {
      const fault = new ProtocolError('403', 'The simulated ACS has a fault.')
      return this.#ended(transaction, challenge, { status: 'U', reason, cancel: '06' }, fault)
    }
    return this.#show(transaction, challenge, 'first')
  }

  /** An invalid CReq ends a challenge that waited for it. */
  spoil(transaction: Transaction, fault: ProtocolError): Promise<HttpsReply> {
    const { challenge } = transaction
    if (challenge === null || challenge.state !== 'waiting') {
      return Promise.resolve(this.#parts.release(transaction, fault))
    }
    const reason = technicalReason(transaction)
    return this.#end(transaction, challenge, { status: 'U', reason, cancel: '06' }, fault)
  }

  /** The cardholder has entered a code. */
  enter(transaction: Transaction, challenge: Challenge, code: string): Screen {
    const ended = endedScreen(challenge)
    if (ended !== null) return ended
    challenge.attempts += 1
    const known = transaction.habit === 'challenge_fails' ? undefined : CODES[code.trim()]
    switch (known) {
      case 'Y':
      case 'A':
        return this.#ended(transaction, challenge, { status: known })
      case 'N':
        return this.#ended(transaction, challenge, { status: 'N', reason: '01' })
      case 'U': {
        const reason = technicalReason(transaction)
        return this.#ended(transaction, challenge, { status: 'U', reason })
      }
      case 'R':
        return this.#ended(transaction, challenge, { status: 'R', reason: '11' })
      default:
        if (challenge.attempts < MOST_ATTEMPTS) return this.#show(transaction, challenge, 'wrong')
        return this.#ended(transaction, challenge, { status: 'N', reason: '19' })
    }
  }

  /** The cardholder requests the code again. */
  resend(transaction: Transaction, challenge: Challenge): Screen {
    const ended = endedScreen(challenge)
    if (ended !== null) return ended
    if (challenge.resends >= MOST_RESENDS) {
      return this.#show(transaction, challenge, 'no_more_codes')
    }
    challenge.resends += 1
    return this.#show(transaction, challenge, 'sent_again')
  }

  /** The cardholder cancels. */
  cancel(transaction: Transaction, challenge: Challenge): Screen {
    const ended = endedScreen(challenge)
    if (ended !== null) return ended
    const reason = transaction.version === '2.1.0' ? '01' : '26'
    return this.#ended(transaction, challenge, { status: 'N', reason, cancel: '01' })
  }

  #show(
    transaction: Transaction,
    challenge: Challenge,
    notice: Extract<Screen, { kind: 'page' }>['notice'],
  ): Screen {
    challenge.callOff()
    challenge.callOff = this.#parts.schedule.after(SCREEN_MS, () => {
      void this.#end(transaction, challenge, { status: 'N', reason: '14', cancel: '04' })
    })
    return { kind: 'page', notice }
  }

  #ended(
    transaction: Transaction,
    challenge: Challenge,
    outcome: ChallengeOutcome,
    fault?: ProtocolError,
  ): Screen {
    return { kind: 'ended', reply: this.#end(transaction, challenge, outcome, fault) }
  }

  /** Ends a challenge once: delivers the result, and then sends the browser back. */
  #end(
    transaction: Transaction,
    challenge: Challenge,
    outcome: ChallengeOutcome,
    fault?: ProtocolError,
  ): Promise<HttpsReply> {
    if (challenge.ending !== null) return challenge.ending
    challenge.callOff()
    challenge.state = 'ended'
    challenge.outcome = outcome
    const { habit } = transaction
    const says =
      outcome.status === 'Y' && habit === 'cres_says_n'
        ? 'N'
        : outcome.status === 'Y' || outcome.status === 'A'
          ? 'Y'
          : 'N'
    challenge.ending = this.#deliver(transaction, challenge, outcome).then(() =>
      this.#parts.release(transaction, fault ?? cresOf(transaction, says)),
    )
    return challenge.ending
  }

  async #deliver(
    transaction: Transaction,
    challenge: Challenge,
    outcome: ChallengeOutcome,
  ): Promise<void> {
    const { cavvKey, deliver, schedule } = this.#parts
    const rreq = resultOf(cavvKey, transaction, challenge.attempts, outcome)
    // Fault cards are faulty only where the cardholder has done everything right.
    const habit = outcome.status === 'Y' ? transaction.habit : 'challenge'
    const wrong: ChallengeOutcome = { status: 'N', reason: '01' }
    const refused = resultOf(cavvKey, transaction, challenge.attempts, wrong)
    const all = async (...results: readonly Message[]) => {
      for (const result of results) await deliver(result).catch(() => false)
    }
    let done: Promise<void>
    switch (habit) {
      case 'rreq_never':
        return
      case 'rreq_late':
        schedule.after(LATE_RREQ_MS, () => void all(rreq))
        return
      case 'rreq_says_n':
        done = all(refused)
        break
      case 'rreq_twice':
        done = all(rreq, rreq)
        break
      case 'rreq_contradicts':
        done = all(rreq, refused)
        break
      case 'rreq_wrong_id':
        done = all({ ...rreq, acsTransID: randomUUID() }, rreq)
        break
      case 'rreq_without_value': {
        const { authenticationValue: _left, ...rest } = rreq
        done = all(rest)
        break
      }
      default:
        done = all(rreq)
    }
    // The cardholder does not wait for ever; the ACS continues to retry.
    await new Promise<void>((resolve) => {
      const callOff = schedule.afterNetwork(RRES_WAIT_MS, resolve)
      void done.finally(() => {
        callOff()
        resolve()
      })
    })
  }
}

function endedScreen(challenge: Challenge): Screen | null {
  return challenge.ending === null ? null : { kind: 'ended', reply: challenge.ending }
}

function repeated(): ProtocolError {
  return new ProtocolError('305', 'A CReq is not expected, or came before.')
}
