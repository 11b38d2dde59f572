import { mail } from '@tollgate/portal-contract/routes/mail'
import { z } from 'zod'
import { idOf } from '../../shell/ids.ts'
import { orFault, implement, notFound } from '../../shell/portal-route.ts'
import type { PortalCall, PortalRoute } from '../../shell/portal-route.ts'
import type { SiteMailPages } from '../usecases/site-mail.ts'
import { authorOf, siteIdOf } from './outcome.ts'

interface MailRoutesDeps {
  readonly pages: SiteMailPages
  readonly hasSite: (merchantId: bigint, siteId: bigint) => Promise<boolean>
}

const KIND = z.string().max(50)
const SETTINGS = z.strictObject({
  kinds: z.array(KIND).max(50),
  sendsTests: z.boolean(),
  senderName: z.string().max(200),
  replyTo: z.string().max(300),
})
/** Longer ones are refused with a sentence by the rules of texts. */
const TEXTS = z.strictObject({
  subject: z.string().max(1_000),
  text: z.string().max(20_000),
  html: z.string().max(100_000),
})
const TEXTS_BYTES = 512_000

/** Reads and changes mails to customers of the portal user's own sites. */
export function mailRoutes({ hasSite, pages }: MailRoutesDeps): readonly PortalRoute[] {
  async function ownSite(
    call: Pick<PortalCall<unknown, unknown>, 'portalUser' | 'params'>,
  ): Promise<bigint> {
    const siteId = siteIdOf(call)
    if (!(await hasSite(call.portalUser.merchantId, siteId))) throw notFound('site')
    return siteId
  }

  return [
    implement(mail.read, { handle: async (call) => pages.show(await ownSite(call)) }),
    implement(mail.change, {
      body: z.strictObject({ settings: SETTINGS, seen: SETTINGS }),
      async handle(call) {
        const siteId = await ownSite(call)
        const { seen, settings } = call.body
        orFault(await pages.changes.set(siteId, settings, seen, authorOf(call)))
        return pages.show(siteId)
      },
    }),
    implement(mail.changeTexts, {
      body: z.strictObject({ kind: KIND, texts: TEXTS.nullable(), seen: TEXTS.nullable() }),
      bodyLimit: TEXTS_BYTES,
      async handle(call) {
        const siteId = await ownSite(call)
        const { kind, seen, texts } = call.body
        const by = authorOf(call)
        orFault(await pages.changes.setTemplate(siteId, kind, texts, { template: seen }, by))
        return pages.show(siteId)
      },
    }),
    implement(mail.preview, {
      body: z.strictObject({ kind: KIND, texts: TEXTS }),
      bodyLimit: TEXTS_BYTES,
      async handle(call) {
        const siteId = await ownSite(call)
        return orFault(await pages.preview(siteId, call.body.kind, call.body.texts)).mail
      },
    }),
    implement(mail.test, {
      body: z.strictObject({ kind: KIND }),
      async handle(call) {
        const siteId = await ownSite(call)
        const recipient = call.portalUser.email
        orFault(await pages.changes.test(siteId, call.body.kind, recipient, authorOf(call)))
        return { recipient }
      },
    }),
    implement(mail.list, {
      handle: async (call) => ({ mails: await pages.list(await ownSite(call)) }),
    }),
    implement(mail.content, {
      async handle(call) {
        const siteId = await ownSite(call)
        const content = await pages.content(siteId, idOf(call.params['mailId'], 'mail'))
        if (content === null) throw notFound('mail')
        return content
      },
    }),
    implement(mail.sendAgain, {
      async handle(call) {
        const siteId = await ownSite(call)
        const id = idOf(call.params['mailId'], 'mail')
        orFault(await pages.changes.sendAgain(siteId, id, authorOf(call)))
        return {}
      },
    }),
  ]
}
