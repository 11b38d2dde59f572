import type {
  WebhookDeliveries,
  WebhookDeliveryState,
  WebhookEndpoints,
  WholeWebhookDelivery,
} from '../answers/webhooks.ts'
import { get, post, put, remove, type Done } from '../route.ts'

interface NewSecret {
  /** Shown this once. */
  readonly secret: string
}

interface Queued {
  /** Deliveries that are sent again. */
  readonly count: number
}

/** Addresses that events are posted to, and the log of their deliveries. */
export const webhooks = {
  list: get('/settings/webhooks', 'settings.see').answers<WebhookEndpoints>(),
  add: post('/settings/webhooks', 'webhooks.change').answers<
    NewSecret & { readonly id: string },
    { body: { readonly siteId: string; readonly url: string; readonly types: readonly string[] } }
  >(),
  /** A field that is left out stays as it is. */
  change: put('/settings/webhooks/:id', 'webhooks.change').answers<
    Done,
    { body: { readonly url?: string; readonly types?: readonly string[] } }
  >(),
  remove: remove('/settings/webhooks/:id', 'webhooks.change').answers<Done>(),
  rotate: post('/settings/webhooks/:id/secrets', 'webhooks.change').answers<NewSecret>(),
  removeOldSecret: remove(
    '/settings/webhooks/:id/secrets/previous',
    'webhooks.change',
  ).answers<Done>(),
  pause: post('/settings/webhooks/:id/pause', 'webhooks.change').answers<Done>(),
  resume: post('/settings/webhooks/:id/resume', 'webhooks.change').answers<Done>(),
  test: post('/settings/webhooks/:id/test', 'webhooks.change').answers<Done>(),
  /** Sends failed deliveries of events that came at or after `since` again; null for all. */
  sendFailedAgain: post('/settings/webhooks/:id/send-again', 'webhooks.change').answers<
    Queued,
    { body: { readonly since: string | null } }
  >(),
  deliveries: get('/settings/webhook-deliveries', 'settings.see').answers<
    WebhookDeliveries,
    {
      query: {
        readonly site?: string
        readonly endpoint?: string
        readonly state?: WebhookDeliveryState
        /** A type, or a beginning of types that ends with a full stop. */
        readonly type?: string
        readonly event?: string
        readonly after?: string
      }
    }
  >(),
  delivery: get('/settings/webhook-deliveries/:id', 'settings.see').answers<WholeWebhookDelivery>(),
  sendAgain: post(
    '/settings/webhook-deliveries/:id/send-again',
    'webhooks.change',
  ).answers<Queued>(),
}
