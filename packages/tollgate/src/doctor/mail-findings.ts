import { fault, good, type Finding } from './finding.ts'

const PART = 'mail'

/**
 * Judges the mail server.
 * @param server null where none is set
 * @param problem why it does not accept the gateway; null for nothing
 */
export function judgeMail(
  server: { readonly host: string; readonly port: number } | null,
  problem: string | null,
): Finding {
  if (server === null) return good(PART, 'SMTP_HOST is not set, so no mail is sent.')
  const name = `${server.host}:${server.port}`
  if (problem === null)
    return good(PART, `The mail server ${name} is reached and accepts the login.`)
  const advice = 'Correct the SMTP settings: docs/operators/mail.md. Mails wait for three days.'
  return fault(PART, `The mail server ${name} cannot be used: ${problem}.`, advice)
}
