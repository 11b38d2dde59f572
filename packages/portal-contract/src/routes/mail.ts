import type {
  MailContent,
  MailRow,
  MailSettings,
  MailTexts,
  SiteMailView,
} from '../answers/mail.ts'
import { get, post, put } from '../route.ts'

/** Mails to customers of a site. Each change answers with the site's mail after it. */
export const mail = {
  read: get('/settings/sites/:siteId/mail', 'settings.see').answers<SiteMailView>(),
  change: put('/settings/sites/:siteId/mail', 'sites.change').answers<
    SiteMailView,
    { body: { readonly settings: MailSettings; readonly seen: MailSettings } }
  >(),
  /** Null for the built-in texts. */
  changeTexts: put('/settings/sites/:siteId/mail/texts', 'sites.change').answers<
    SiteMailView,
    {
      body: {
        readonly kind: string
        readonly texts: MailTexts | null
        readonly seen: MailTexts | null
      }
    }
  >(),
  /** Texts with example values; a fault names the field. */
  preview: post('/settings/sites/:siteId/mail/preview', 'settings.see').answers<
    MailTexts,
    { body: { readonly kind: string; readonly texts: MailTexts } }
  >(),
  /** Queues a mail with example values to the portal user who asks. */
  test: post('/settings/sites/:siteId/mail/test', 'sites.change').answers<
    { readonly recipient: string },
    { body: { readonly kind: string } }
  >(),
  /** The newest ones; they have addresses of customers. */
  list: get('/settings/sites/:siteId/mails', 'customers.see').answers<{
    readonly mails: readonly MailRow[]
  }>(),
  content: get('/settings/sites/:siteId/mails/:mailId', 'customers.see').answers<MailContent>(),
  sendAgain: post(
    '/settings/sites/:siteId/mails/:mailId/send',
    'customers.change',
  ).answers<object>(),
}
