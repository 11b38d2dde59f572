import { maskText } from '../../base/card-masking.ts'
import type { Clock } from '../../base/clock.ts'
import { judgeMail, type MailResult } from '../../domain/mail/judge-mail.ts'
import { createMailComposer } from './compose-mails.ts'
import type { ClaimedMail, MailQueue, PostMail } from './mail-ports.ts'

export interface SendMailsDeps {
  readonly queue: MailQueue
  readonly post: PostMail
  /** The machine's. */
  readonly clock: Clock
  /** From 0 to 1. */
  readonly random: () => number
  readonly onResult: (outcome: 'sent' | 'failed' | 'caught' | 'waiting') => void
  readonly onError: (mailId: bigint, error: unknown) => void
}

/** So many connections to the mail server at once. */
const AT_ONCE = 5
const LONGEST_ANSWER = 500

/**
 * Makes mails of new events, and sends some that are due; true when there may be more right away.
 * A process that stops leaves what is under way to the leases.
 */
export function createSendMails(deps: SendMailsDeps): (signal: AbortSignal) => Promise<boolean> {
  const { clock, onError, queue } = deps
  return async (signal) => {
    const now = clock.now()
    const hasEvents = await queue.fanOut(createMailComposer(now), now)
    // The mails that were just made are due from now on.
    const mails = await queue.claim(clock.now(), AT_ONCE)
    const stopped = Promise.withResolvers<void>()
    const stop = (): void => stopped.resolve()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    const sends = mails.map((mail) =>
      send(deps, mail).catch((error: unknown) => onError(mail.id, error)),
    )
    await Promise.race([Promise.all(sends), stopped.promise])
    signal.removeEventListener('abort', stop)
    return hasEvents || mails.length === AT_ONCE
  }
}

async function send(deps: SendMailsDeps, mail: ClaimedMail): Promise<void> {
  const result = await deps.post(mail)
  const now = deps.clock.now()
  const judged = judgeMail(mail.attempts, result, now, deps.random())
  await deps.queue.record(mail, judged, answerOf(result), now)
  deps.onResult(judged.state)
}

/** A server may repeat the address or a part of the mail. */
function answerOf(result: MailResult): string {
  const answer = result.kind === 'caught' ? 'Caught: no mail server is set.' : result.answer
  return maskText(answer).slice(0, LONGEST_ANSWER)
}
