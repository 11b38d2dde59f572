import { changedMeanwhile, refused, type Result } from '../../base/refusal.ts'
import { isMailAddress } from '../../domain/mail/mail-address.ts'
import {
  CUSTOMER_MAIL_NAMES,
  isCustomerMail,
  isNotice,
  type CustomerMailName,
} from '../../domain/mail/mail-kinds.ts'
import {
  isSameMail,
  notAnAddress,
  noticesRefusal,
  siteMailRefusal,
  unknownKind,
  type SiteMailDraft,
} from '../../domain/mail/site-mail.ts'
import { isSameTemplate, templateRefusal, type MailTemplate } from '../../domain/mail/template.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import { onLockedSite } from '../merchants/locked-site.ts'
import { previewMail } from './compose-mails.ts'
import type { SiteMailStore } from './site-mail-store.ts'

const CHANGED = 'Another user changed the mail of this site. Load the page again.'

/** Changes of a site's mail and of notices. Each is audited in its transaction. */
export interface ChangeSiteMail {
  /** @param seen what the caller saw, which another user may have changed; null: unknown */
  set(
    siteId: bigint,
    changes: Partial<SiteMailDraft>,
    seen: SiteMailDraft | null,
    by: AuditAuthor,
  ): Promise<Result>
  /**
   * @param template null for the built-in texts
   * @param seen the texts that the caller saw; null: unknown
   */
  setTemplate(
    siteId: bigint,
    kind: string,
    template: MailTemplate | null,
    seen: { readonly template: MailTemplate | null } | null,
    by: AuditAuthor,
  ): Promise<Result>
  /** Queues a mail with example values. */
  test(
    siteId: bigint,
    kind: string,
    recipient: string,
    by: AuditAuthor,
  ): Promise<Result<{ readonly id: bigint }>>
  sendAgain(siteId: bigint, id: bigint, by: AuditAuthor): Promise<Result>
  setNotices(portalUserId: bigint, kinds: readonly string[], by: AuditAuthor): Promise<Result>
}

export function createChangeSiteMail(
  store: Pick<SiteMailStore, 'transact' | 'transactNotices'>,
): ChangeSiteMail {
  return {
    set: (siteId, changes, seen, by) =>
      onLockedSite(store.transact, siteId, by, async (tx, entry) => {
        const before = await tx.read(siteId)
        if (seen !== null && !isSameMail(before, seen)) return changedMeanwhile(CHANGED)
        const draft = { ...before, ...changes }
        const refusal = siteMailRefusal(draft)
        if (refusal !== null) return refusal
        await tx.write(siteId, { ...draft, kinds: draft.kinds.filter(isCustomerMail) })
        const { kinds, replyTo, senderName, sendsTests } = draft
        const details = { kinds: kinds.join(' '), sendsTests, senderName, replyTo }
        await tx.audit([entry('site.mail_set', details)])
        return { ok: true }
      }),
    async setTemplate(siteId, kind, template, seen, by) {
      if (!isCustomerMail(kind)) return unknownKind(kind, CUSTOMER_MAIL_NAMES)
      const refusal = template === null ? null : templateRefusal(kind, template)
      if (refusal !== null) return refusal
      return onLockedSite(store.transact, siteId, by, async (tx, entry) => {
        const before = await tx.readTemplate(siteId, kind)
        if (seen !== null && !isSameTemplate(before, seen.template)) {
          return changedMeanwhile(CHANGED)
        }
        await tx.putTemplate(siteId, kind, template)
        const details = { kind, texts: template === null ? 'built in' : 'of the site' }
        await tx.audit([entry('site.mail_template_set', details)])
        return { ok: true }
      })
    },
    async test(siteId, kind, recipient, by) {
      if (!isCustomerMail(kind)) return unknownKind(kind, CUSTOMER_MAIL_NAMES)
      if (!isMailAddress(recipient)) return notAnAddress(recipient, 'recipient')
      return onLockedSite(store.transact, siteId, by, async (tx, entry) => {
        const names = await tx.readNames(siteId)
        const { replyTo, senderName } = await tx.read(siteId)
        const mail = previewMail(kind, await tx.readTemplate(siteId, kind), names)
        const id = await tx.queue(names.merchantId, {
          ...mail,
          ...testOf(siteId, kind, names.mode),
          recipient,
          senderName: senderName || names.site,
          replyTo,
        })
        await tx.audit([entry('site.mail_tested', { kind, mail: Number(id) })])
        return { ok: true, id }
      })
    },
    sendAgain: (siteId, id, by) =>
      onLockedSite(store.transact, siteId, by, async (tx, entry) => {
        if (!(await tx.sendAgain(siteId, id))) {
          return refused('missing', `Mail ${id} does not exist, or it is not sent yet.`)
        }
        await tx.audit([entry('site.mail_sent_again', { mail: Number(id) })])
        return { ok: true }
      }),
    async setNotices(portalUserId, kinds, by) {
      const refusal = noticesRefusal(kinds)
      if (refusal !== null) return refusal
      return store.transactNotices(async (tx) => {
        const user = await tx.lockUser(portalUserId)
        if (user === null) return refused('missing', 'There is no such portal user.')
        await tx.write(portalUserId, kinds.filter(isNotice))
        await tx.audit([
          {
            ...by,
            operation: 'portal_user.notices_set',
            object: `portal user ${user.email}`,
            merchantId: user.merchantId,
            result: 'done',
            details: { kinds: kinds.join(' ') },
          },
        ])
        return { ok: true }
      })
    },
  }
}

function testOf(siteId: bigint, kind: CustomerMailName, mode: 'test' | 'live') {
  return {
    kind,
    mode,
    siteId: siteId.toString(),
    position: null,
    eventId: '',
    orderId: null,
    customerId: null,
  }
}
