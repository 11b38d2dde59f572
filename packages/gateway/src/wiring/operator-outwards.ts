import type pg from 'pg'
import type { SecretSeal } from '../adapters/vault/secret-seal.ts'
import type { AuditAuthor } from '../usecases/audit/audit-log.ts'
import { createMailOperator, type MailOperator } from './operator-mail.ts'
import { createWebhookOperator, type WebhookOperator } from './operator-webhooks.ts'
import type { OutwardSettings } from './webhooks.ts'

export { CUSTOMER_MAILS, NOTICES, type MailView, type SiteMailView } from './operator-mail.ts'
export type { AttemptView, DeliveryView, EndpointView } from './operator-webhooks.ts'

/** An operator's operations on what the gateway sends to programs, customers and users. */
export interface OutwardOperator {
  readonly webhooks: WebhookOperator
  readonly mail: MailOperator
}

/** Every change is audited as `by`. */
export function createOutwardOperator(
  pool: pg.Pool,
  by: AuditAuthor,
  settings: Partial<OutwardSettings>,
  openSeal: () => Promise<SecretSeal>,
): OutwardOperator {
  return {
    webhooks: createWebhookOperator(pool, by, settings, openSeal),
    mail: createMailOperator(pool, by),
  }
}
