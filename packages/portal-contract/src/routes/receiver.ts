import type {
  AddedReceiver,
  CaughtWebhooks,
  ReceiverManner,
  ReceiverState,
  WebhookFaultKind,
} from '../answers/receiver.ts'
import { get, post, type Done } from '../route.ts'

/** The sandbox's own receivers of webhooks; the id is that of a test site. */
export const webhookReceivers = {
  list: get('/developer/receivers/:id', 'developer.see').answers<ReceiverState>(),
  caught: get('/developer/receivers/:id/caught', 'developer.see').answers<
    CaughtWebhooks,
    { query: { readonly before?: string } }
  >(),
  add: post('/developer/receivers/:id', 'developer.change').answers<
    AddedReceiver,
    { body: { readonly types: readonly string[] } }
  >(),
  remove: post('/developer/receivers/:id/removal', 'developer.change').answers<
    Done,
    { body: { readonly receiver: string } }
  >(),
  setAnswer: post('/developer/receivers/:id/answer', 'developer.change').answers<
    Done,
    {
      body: {
        readonly receiver: string
        readonly manner: ReceiverManner
        readonly status: number
        readonly retryAfterS: number | null
        readonly delayMs: number
        readonly left: number | null
      }
    }
  >(),
  setFaults: post('/developer/receivers/:id/faults', 'developer.change').answers<
    Done,
    {
      body: {
        readonly endpoint: string
        readonly faults: readonly {
          readonly kind: WebhookFaultKind
          readonly type: string
          readonly share: number
          readonly seconds: number
          readonly left: number | null
        }[]
      }
    }
  >(),
}
