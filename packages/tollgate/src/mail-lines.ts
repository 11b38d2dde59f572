import { CUSTOMER_MAILS, type MailView, type SiteMailView } from '@tollgate/gateway/operator'

/** A site's mail settings, a line for each kind. */
export function siteLines(siteId: bigint, shown: SiteMailView): string[] {
  const { kinds, names, replyTo, senderName, sendsTests, templates } = shown
  return [
    `Site ${siteId} (${names.site}, ${names.mode} mode): ${kinds.length} kinds of mail.`,
    ...Object.entries(CUSTOMER_MAILS).map(([name, { title }]) => {
      const state = kinds.some((kind) => kind === name) ? 'on ' : 'off'
      const texts = templates.has(name as keyof typeof CUSTOMER_MAILS) ? 'own' : 'built-in'
      return `  ${state} ${name}: ${title}, ${texts} texts`
    }),
    `Mail of test mode: ${sendsTests ? 'on' : 'off'}.`,
    `Sender: ${senderName || names.site}. Replies: ${replyTo || 'to the sender'}.`,
  ]
}

/** A mail of the log. */
export function viewLines(view: MailView): string[] {
  const { answer, attempts, createdAt, dueAt, id, kind, recipient, state, subject } = view
  const next = state === 'waiting' ? `, next attempt ${dueAt.toISOString()}` : ''
  const result = `${state}, ${attempts} attempts${next}`
  return [
    `${id} ${createdAt.toISOString()} ${kind} to ${recipient}: ${result}`,
    `  ${subject}`,
    ...(answer === '' ? [] : [`  ${answer}`]),
  ]
}

/** A mail with its text. */
export function mailLines(mail: MailView & { readonly text: string }): string[] {
  return [...viewLines(mail), '', mail.text]
}
