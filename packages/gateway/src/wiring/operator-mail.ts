import type pg from 'pg'
import { createSiteMailStore } from '../adapters/postgres/mail/site-mail-store.ts'
import { refused, type Result } from '../base/refusal.ts'
import {
  CUSTOMER_MAIL_NAMES,
  isCustomerMail,
  type CustomerMailName,
  type NoticeName,
} from '../domain/mail/mail-kinds.ts'
import { unknownKind, type SiteMailDraft } from '../domain/mail/site-mail.ts'
import type { MailTemplate, RenderedMail } from '../domain/mail/template.ts'
import type { AuditAuthor } from '../usecases/audit/audit-log.ts'
import { createChangeSiteMail } from '../usecases/mail/change-site-mail.ts'
import { previewMail } from '../usecases/mail/compose-mails.ts'
import type { MailFilter, MailView, SiteMailView } from '../usecases/mail/site-mail-store.ts'

export type { MailView, SiteMailView } from '../usecases/mail/site-mail-store.ts'
export { CUSTOMER_MAILS, NOTICES } from '../domain/mail/mail-kinds.ts'

/** An operator's operations on mails to customers, and on notices. */
export interface MailOperator {
  /** Null for no such site. */
  show(siteId: bigint): Promise<SiteMailView | null>
  set(siteId: bigint, changes: Partial<SiteMailDraft>): Promise<Result>
  /** @param template null for the built-in texts */
  setTemplate(siteId: bigint, kind: string, template: MailTemplate | null): Promise<Result>
  /** The texts of a kind with example values. */
  preview(siteId: bigint, kind: string): Promise<Result<{ readonly mail: RenderedMail }>>
  test(siteId: bigint, kind: string, to: string): Promise<Result<{ readonly id: bigint }>>
  readLog(siteId: bigint, filter: MailFilter): Promise<readonly MailView[]>
  /** Null for no such mail of the site. */
  readMail(siteId: bigint, id: bigint): Promise<(MailView & RenderedMail) | null>
  sendAgain(siteId: bigint, id: bigint): Promise<Result>
  /** Null for no such portal user. */
  readNotices(email: string): Promise<readonly NoticeName[] | null>
  setNotices(email: string, kinds: readonly string[]): Promise<Result>
}

/** Every change is audited as `by`. */
export function createMailOperator(pool: pg.Pool, by: AuditAuthor): MailOperator {
  const store = createSiteMailStore(pool)
  const changes = createChangeSiteMail(store)
  return {
    show: store.show,
    set: (siteId, draft) => changes.set(siteId, draft, null, by),
    setTemplate: (siteId, kind, template) => changes.setTemplate(siteId, kind, template, null, by),
    async preview(siteId, kind) {
      if (!isCustomerMail(kind)) return unknownKind(kind, CUSTOMER_MAIL_NAMES)
      const shown = await store.show(siteId)
      if (shown === null) return refused('missing', `Site ${siteId} does not exist.`)
      return { ok: true, mail: previewOf(shown, kind) }
    },
    test: (siteId, kind, to) => changes.test(siteId, kind, to, by),
    readLog: store.readLog,
    readMail: store.readMail,
    sendAgain: (siteId, id) => changes.sendAgain(siteId, id, by),
    async readNotices(email) {
      const id = await store.userOf(email)
      return id === null ? null : store.readNotices(id)
    },
    async setNotices(email, kinds) {
      const id = await store.userOf(email)
      if (id === null) return refused('missing', 'There is no such portal user.')
      return changes.setNotices(id, kinds, by)
    },
  }
}

function previewOf({ names, templates }: SiteMailView, kind: CustomerMailName): RenderedMail {
  return previewMail(kind, templates.get(kind) ?? null, names)
}
