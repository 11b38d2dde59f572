import type { Clock } from '../../base/clock.ts'
import type { Secret } from '../../base/secret.ts'
import {
  describeCaught,
  MOST_CAUGHT,
  type SignatureVerdict,
} from '../../domain/webhooks/caught-request.ts'
import { planAfter, type ReceiverAnswer } from '../../domain/webhooks/receiver-answer.ts'
import type { SiteClocks } from '../clocks/site-clocks.ts'
import type { OpenWebhookSecret } from './delivery-ports.ts'
import type { ReceiverStore } from './receiver-store.ts'

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** Takes a request at the address of a receiver, and returns the answer; null for no receiver. */
export type CatchWebhook = (
  id: string,
  headers: Headers,
  body: Uint8Array,
) => Promise<ReceiverAnswer | null>

export interface CatchWebhookDeps {
  readonly store: Pick<ReceiverStore, 'find' | 'store'>
  readonly openSecret: OpenWebhookSecret
  readonly judge: (
    headers: Headers,
    body: Uint8Array,
    secrets: readonly Secret[],
    now: Date,
  ) => SignatureVerdict
  /** The machine's. */
  readonly clock: Clock
  readonly siteClocks: SiteClocks
}

/** The signature is judged on the bytes that arrived; texts are masked only afterwards. */
export function createCatchWebhook(deps: CatchWebhookDeps): CatchWebhook {
  const { clock, judge, openSecret, siteClocks, store } = deps
  return async (id, headers, body) => {
    const found = await store.find(id)
    if (found === null) return null
    const { endpointId, siteId } = found
    const secrets = await Promise.all(found.secrets.map((sealed) => openSecret(endpointId, sealed)))
    const at = clock.now()
    const siteAt = (await siteClocks.of(siteId)).now()
    const verdict = judge(headers, body, secrets, at)
    const caught = { ...describeCaught(headers, body), receiverId: id, at, siteAt, verdict }
    return store.store(caught, MOST_CAUGHT, planAfter)
  }
}
