import type { MailContent, MailRow, SiteMailView } from '@tollgate/portal-contract/answers/mail'
import { invariant } from '../../../base/invariant.ts'
import type { Result } from '../../../base/refusal.ts'
import { BUILT_IN_TEMPLATES } from '../../../domain/mail/built-in-templates.ts'
import { CUSTOMER_MAIL_NAMES, isCustomerMail, MAIL_KINDS } from '../../../domain/mail/mail-kinds.ts'
import { unknownKind } from '../../../domain/mail/site-mail.ts'
import {
  templateRefusal,
  type MailTemplate,
  type RenderedMail,
} from '../../../domain/mail/template.ts'
import {
  createChangeSiteMail,
  type ChangeSiteMail,
} from '../../../usecases/mail/change-site-mail.ts'
import { previewMail } from '../../../usecases/mail/compose-mails.ts'
import type { MailView, SiteMailStore } from '../../../usecases/mail/site-mail-store.ts'

/** The mail of a site, as its page shows it. The caller has checked whose the site is. */
export interface SiteMailPages {
  readonly changes: ChangeSiteMail
  show(siteId: bigint): Promise<SiteMailView>
  /** Texts that need not be stored, with example values. */
  preview(
    siteId: bigint,
    kind: string,
    texts: MailTemplate,
  ): Promise<Result<{ readonly mail: RenderedMail }>>
  /** The newest mails. */
  list(siteId: bigint): Promise<readonly MailRow[]>
  /** Null for no such mail of the site. */
  content(siteId: bigint, id: bigint): Promise<MailContent | null>
}

const LISTED = 100

export function createSiteMailPages(
  store: SiteMailStore,
  delivery: SiteMailView['delivery'],
): SiteMailPages {
  const read = async (siteId: bigint) => {
    const shown = await store.show(siteId)
    invariant(shown !== null, 'a site is gone')
    return shown
  }
  return {
    changes: createChangeSiteMail(store),
    async show(siteId) {
      const { kinds, names, replyTo, senderName, sendsTests, templates } = await read(siteId)
      return {
        mode: names.mode,
        settings: { kinds, sendsTests, senderName, replyTo },
        delivery,
        kinds: CUSTOMER_MAIL_NAMES.map((kind) => ({
          kind,
          title: MAIL_KINDS[kind].title,
          placeholders: MAIL_KINDS[kind].placeholders,
          own: templates.get(kind) ?? null,
          builtIn: BUILT_IN_TEMPLATES[kind],
        })),
      }
    },
    async preview(siteId, kind, texts) {
      if (!isCustomerMail(kind)) return unknownKind(kind, CUSTOMER_MAIL_NAMES)
      const refusal = templateRefusal(kind, texts)
      if (refusal !== null) return refusal
      return { ok: true, mail: previewMail(kind, texts, (await read(siteId)).names) }
    },
    async list(siteId) {
      const filter = { state: null, orderId: null, limit: LISTED }
      return (await store.readLog(siteId, filter)).map(rowOf)
    },
    async content(siteId, id) {
      const mail = await store.readMail(siteId, id)
      if (mail === null) return null
      return { ...rowOf(mail), answer: mail.answer, text: mail.text, html: mail.html }
    },
  }
}

function rowOf(view: MailView): MailRow {
  const { attempts, createdAt, id, kind, orderId, recipient, state, subject } = view
  return {
    id: id.toString(),
    title: MAIL_KINDS[kind].title,
    recipient,
    subject,
    state,
    attempts,
    createdAt: createdAt.toISOString(),
    orderId,
  }
}
