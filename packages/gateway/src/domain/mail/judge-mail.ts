const MINUTE_MS = 60_000

/** The pauses before each attempt after the first, in minutes: 61 h 51 min in all. */
const PAUSES_MIN = [1, 5, 15, 30, 60, 120, 240, 480, 720, 960, 1_080] as const
const JITTER = 0.15

export const MOST_ATTEMPTS = PAUSES_MIN.length + 1
/** No mail is made of an event that is older: its attempts would be over. */
export const OLDEST_EVENT_MS = 3 * 24 * 60 * MINUTE_MS

/** The result of one attempt. */
export type MailResult =
  | { readonly kind: 'accepted'; readonly answer: string }
  /** The sandbox has no mail server, and keeps the mail. */
  | { readonly kind: 'caught' }
  /** The server will not take this mail for this recipient. */
  | { readonly kind: 'refused'; readonly answer: string }
  /** The server was away, busy, or not as the settings say. */
  | { readonly kind: 'failed'; readonly answer: string }

/** The state of a mail after an attempt. */
export type JudgedMail =
  | { readonly state: 'sent' | 'failed' | 'caught'; readonly attempts: number }
  | { readonly state: 'waiting'; readonly attempts: number; readonly dueAt: Date }

/**
 * Decides what an attempt means for its mail.
 * @param attempts those before it in this round
 * @param random from 0 to 1
 */
export function judgeMail(
  attempts: number,
  result: MailResult,
  now: Date,
  random: number,
): JudgedMail {
  const made = attempts + 1
  if (result.kind === 'accepted') return { state: 'sent', attempts: made }
  if (result.kind === 'caught') return { state: 'caught', attempts: made }
  if (result.kind === 'refused') return { state: 'failed', attempts: made }
  const pause = PAUSES_MIN[attempts]
  if (pause === undefined) return { state: 'failed', attempts: made }
  const pauseMs = Math.round(pause * MINUTE_MS * (1 - JITTER + 2 * JITTER * random))
  return { state: 'waiting', attempts: made, dueAt: new Date(now.getTime() + pauseMs) }
}

/** The step of the SMTP dialogue that a reply answers. */
export type SmtpStep = 'connection' | 'sender' | 'recipient' | 'content'

/**
 * Whether a reply refuses this mail for good. A refusal of the login or the sender concerns every
 * mail, so an operator can correct it while mails wait.
 */
export function isPermanent(step: SmtpStep, status: number | null): boolean {
  const isOfMail = step === 'recipient' || step === 'content'
  return isOfMail && status !== null && status >= 500 && status <= 599
}
