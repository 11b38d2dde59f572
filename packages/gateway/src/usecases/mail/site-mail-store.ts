import type { CustomerMailName, MailKindName, NoticeName } from '../../domain/mail/mail-kinds.ts'
import type { SiteMail } from '../../domain/mail/site-mail.ts'
import type { MailTemplate, RenderedMail } from '../../domain/mail/template.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import type { LockedSiteTx } from '../merchants/locked-site.ts'
import type { MailDraft } from './mail-ports.ts'

/** The names that texts and subjects of a site need. */
export interface MailNames {
  readonly merchantId: bigint
  readonly merchant: string
  readonly site: string
  readonly mode: 'test' | 'live'
}

/** The locks, reads and writes of one change of a site's mail. */
export interface SiteMailTx extends LockedSiteTx {
  readNames(siteId: bigint): Promise<MailNames>
  read(siteId: bigint): Promise<SiteMail>
  /** A site that had no kind gets mails of events from now on. */
  write(siteId: bigint, mail: SiteMail): Promise<void>
  /** Null for the built-in texts. */
  readTemplate(siteId: bigint, kind: CustomerMailName): Promise<MailTemplate | null>
  putTemplate(siteId: bigint, kind: CustomerMailName, template: MailTemplate | null): Promise<void>
  queue(merchantId: bigint, draft: MailDraft): Promise<bigint>
  /** Another round of attempts with a Message-ID of its own; false for no such concluded mail. */
  sendAgain(siteId: bigint, id: bigint): Promise<boolean>
}

/** The lock, reads and writes of one change of a portal user's notices. */
export interface NoticesTx extends AuditedTx {
  /** Holds the user until the commit; null for no such user. */
  lockUser(id: bigint): Promise<{ readonly email: string; readonly merchantId: bigint } | null>
  read(id: bigint): Promise<readonly NoticeName[]>
  write(id: bigint, kinds: readonly NoticeName[]): Promise<void>
}

/** A mail as it is listed. */
export interface MailView {
  readonly id: bigint
  readonly kind: MailKindName
  readonly mode: 'test' | 'live'
  readonly recipient: string
  readonly subject: string
  readonly state: 'waiting' | 'sent' | 'failed' | 'caught'
  readonly attempts: number
  readonly answer: string
  readonly eventId: string
  readonly orderId: string | null
  readonly createdAt: Date
  readonly dueAt: Date
  readonly endedAt: Date | null
}

export interface MailFilter {
  readonly state: MailView['state'] | null
  readonly orderId: bigint | null
  readonly limit: number
}

/** A site's mail settings and texts. */
export interface SiteMailView extends SiteMail {
  readonly names: MailNames
  readonly templates: ReadonlyMap<CustomerMailName, MailTemplate>
}

export interface SiteMailStore {
  readonly transact: Transact<SiteMailTx>
  readonly transactNotices: Transact<NoticesTx>
  /** Null for no such site. */
  show(siteId: bigint): Promise<SiteMailView | null>
  /** The newest mails of a site. */
  readLog(siteId: bigint, filter: MailFilter): Promise<readonly MailView[]>
  /** One mail of the site with its content; null for none. */
  readMail(siteId: bigint, id: bigint): Promise<(MailView & RenderedMail) | null>
  /** Null for no such portal user. */
  userOf(email: string): Promise<bigint | null>
  readNotices(portalUserId: bigint): Promise<readonly NoticeName[]>
}
