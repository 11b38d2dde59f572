import { randomInt } from 'node:crypto'
import { createSmtpPost, SMTP_LIMITS } from '../adapters/mail/smtp-post.ts'
import { inTime } from '../adapters/metrics/in-time.ts'
import { watchMail } from '../adapters/metrics/mail-metrics.ts'
import { createMailQueue, readMailBacklog } from '../adapters/postgres/mail/mail-queue.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { PostMail } from '../usecases/mail/mail-ports.ts'
import { createSendMails } from '../usecases/mail/send-mails.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'

export const SEND_MAILS = 'send mails'
const RANDOM_STEPS = 1_000
const LOOK_EVERY_MS = 2_000

/** Null where mail is off: in production without a mail server. */
function postOf({ mode, smtp }: GatewayConfig): PostMail | null {
  if (smtp !== null) return createSmtpPost(smtp, SMTP_LIMITS)
  return mode === 'sandbox' ? () => Promise.resolve({ kind: 'caught' }) : null
}

/** Sends mails of events to customers and portal users. */
export function wireMail({ clock, config, database, logger, metrics }: Foundation): Part {
  const post = postOf(config)
  if (post === null) return {}
  const onResult = watchMail(
    metrics.registry,
    inTime(() => readMailBacklog(database.pool)),
  )
  const sendMails = createSendMails({
    queue: createMailQueue(database.pool),
    post,
    clock,
    random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
    onResult,
    onError: (mail, error) =>
      logger.error(
        { mail: mail.toString(), error: String(error) },
        'the result of a mail was not written, and the mail is repeated',
      ),
  })
  return { jobs: [{ name: SEND_MAILS, everyMs: LOOK_EVERY_MS, run: sendMails }] }
}
