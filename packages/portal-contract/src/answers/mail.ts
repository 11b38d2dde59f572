import type { Mode } from './shell.ts'

/** A site's choices for mails to its customers. */
export interface MailSettings {
  readonly kinds: readonly string[]
  readonly sendsTests: boolean
  /** '' for the name of the site. */
  readonly senderName: string
  readonly replyTo: string
}

/** The texts of a kind of mail, with placeholders. */
export interface MailTexts {
  readonly subject: string
  readonly text: string
  /** '' makes the HTML from the text. */
  readonly html: string
}

export interface MailKindView {
  readonly kind: string
  readonly title: string
  readonly placeholders: readonly string[]
  /** Null: the built-in texts are sent. */
  readonly own: MailTexts | null
  readonly builtIn: MailTexts
}

export interface SiteMailView {
  readonly mode: Mode
  readonly settings: MailSettings
  readonly kinds: readonly MailKindView[]
  /** `caught`: the sandbox keeps mails instead; `off`: the operator has no mail server. */
  readonly delivery: 'sent' | 'caught' | 'off'
}

/** A mail in the list of a site. */
export interface MailRow {
  readonly id: string
  readonly title: string
  readonly recipient: string
  readonly subject: string
  readonly state: 'waiting' | 'sent' | 'failed' | 'caught'
  readonly attempts: number
  readonly createdAt: string
  readonly orderId: string | null
}

/** A mail with its content. */
export interface MailContent extends MailRow {
  readonly answer: string
  readonly text: string
  readonly html: string
}
