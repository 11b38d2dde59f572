import { createTransport } from 'nodemailer'
import type { Secret } from '../../base/secret.ts'
import { isPermanent, type MailResult, type SmtpStep } from '../../domain/mail/judge-mail.ts'
import { domainOf } from '../../domain/mail/mail-address.ts'
import type { ClaimedMail, PostMail } from '../../usecases/mail/mail-ports.ts'

/** The operator's mail server, as the settings name it. */
export interface SmtpServer {
  readonly host: string
  readonly port: number
  readonly tls: 'starttls' | 'implicit' | 'none'
  readonly user: string
  readonly password: Secret | null
  /** The sender's address of every mail. */
  readonly from: string
  /** PEM of the authorities that sign for the server; null for the public ones. */
  readonly ca: string | null
}

export interface SmtpLimits {
  /** For the connection, and for each reply of the server. */
  readonly replyMs: number
  /** For the whole exchange. */
  readonly exchangeMs: number
}

export const SMTP_LIMITS: SmtpLimits = { replyMs: 10_000, exchangeMs: 40_000 }

/** Sends each mail over a connection of its own, and over TLS unless the settings forbid it. */
export function createSmtpPost(server: SmtpServer, limits: SmtpLimits): PostMail {
  const transport = transportOf(server, limits)
  return async (mail) => {
    try {
      const { response } = await transport.sendMail({
        ...messageOf(mail, server.from),
        signal: AbortSignal.timeout(limits.exchangeMs),
      })
      return { kind: 'accepted', answer: response }
    } catch (error) {
      return resultOf(error)
    }
  }
}

/** Connects and logs in, and sends nothing. Null if that works; otherwise why not. */
export async function probeSmtp(server: SmtpServer, limits: SmtpLimits): Promise<string | null> {
  try {
    await transportOf(server, limits).verify()
    return null
  } catch (error) {
    return reasonOf(error)
  }
}

function transportOf({ ca, host, password, port, tls, user }: SmtpServer, limits: SmtpLimits) {
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    tls: { minVersion: 'TLSv1.2', ...(ca === null ? {} : { ca }) },
    ...(password === null ? {} : { auth: { user, pass: password.reveal() } }),
    connectionTimeout: limits.replyMs,
    greetingTimeout: limits.replyMs,
    socketTimeout: limits.replyMs,
    dnsTimeout: limits.replyMs,
    // Texts come from merchants: none of them may name a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

function messageOf(mail: ClaimedMail, from: string) {
  const { createdAt, eventId, html, id, recipient, replyTo, round, senderName, subject } = mail
  return {
    from: { name: senderName, address: from },
    to: { name: '', address: recipient },
    ...(replyTo === '' ? {} : { replyTo: { name: '', address: replyTo } }),
    subject,
    text: mail.text,
    html,
    // The same for each attempt, so that a mail that arrives twice is recognised.
    messageId: `<${eventId || 'test'}.${id}.${round}@${domainOf(from)}>`,
    date: createdAt,
    headers: { 'Auto-Submitted': 'auto-generated' },
  }
}

interface SmtpError {
  readonly code?: unknown
  readonly command?: unknown
  readonly responseCode?: unknown
  readonly message: string
}

function resultOf(error: unknown): MailResult {
  const { command, responseCode } = error as SmtpError
  const status = typeof responseCode === 'number' ? responseCode : null
  const kind = isPermanent(stepOf(command), status) ? 'refused' : 'failed'
  return { kind, answer: reasonOf(error) }
}

function stepOf(command: unknown): SmtpStep {
  if (command === 'RCPT TO') return 'recipient'
  if (command === 'DATA') return 'content'
  return command === 'MAIL FROM' ? 'sender' : 'connection'
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
