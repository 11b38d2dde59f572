import type pg from 'pg'
import { newWebhookSecret } from '../adapters/outwards/webhook-signature.ts'
import { createEndpointStore } from '../adapters/postgres/webhooks/endpoint-store.ts'
import { webhookSecretBinding, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import type { Result } from '../base/refusal.ts'
import type { Secret } from '../base/secret.ts'
import { noSuchEndpoint, type EndpointDraft } from '../domain/webhooks/endpoint-draft.ts'
import type { AuditAuthor } from '../usecases/audit/audit-log.ts'
import { createChangeEndpoints } from '../usecases/webhooks/change-endpoints.ts'
import type {
  DeliveryView,
  EndpointView,
  ResendFilter,
} from '../usecases/webhooks/endpoint-store.ts'
import { outwardRules, type OutwardSettings } from './webhooks.ts'

export type {
  AttemptView,
  DeliveryView,
  EndpointView,
} from '../usecases/webhooks/endpoint-store.ts'

/** An operator's operations on the endpoints of a site. */
export interface WebhookOperator {
  list(siteId: bigint): Promise<readonly EndpointView[]>
  add(
    siteId: bigint,
    draft: EndpointDraft,
  ): Promise<Result<{ readonly id: bigint; readonly secret: Secret }>>
  change(id: bigint, changes: Partial<EndpointDraft>): Promise<Result>
  remove(id: bigint): Promise<Result>
  rotate(id: bigint): Promise<Result<{ readonly secret: Secret }>>
  removeOldSecret(id: bigint): Promise<Result>
  pause(id: bigint): Promise<Result>
  resume(id: bigint): Promise<Result>
  test(id: bigint): Promise<Result>
  sendAgain(id: bigint, filter: ResendFilter): Promise<Result<{ readonly count: number }>>
  /** Null for no such endpoint. */
  readLog(
    id: bigint,
    state: 'failed' | 'pending' | null,
    limit: number,
  ): Promise<readonly DeliveryView[] | null>
}

/** The rules without settings: public addresses only. */
const STRICT: OutwardSettings = {
  mode: 'production',
  webhookAllowedNetworks: [],
  webhookRefusedNetworks: [],
  webhookPorts: [443],
}

/** Every change is audited as `by`. */
export function createWebhookOperator(
  pool: pg.Pool,
  by: AuditAuthor,
  settings: Partial<OutwardSettings>,
  openSeal: () => Promise<SecretSeal>,
): WebhookOperator {
  const store = createEndpointStore(pool)
  const changes = createChangeEndpoints({
    store,
    rulesOf: outwardRules({ ...STRICT, ...settings }),
    newSecret: newWebhookSecret,
    async openSeal() {
      const seal = await openSeal()
      return (id, secret) => seal.seal(secret, webhookSecretBinding(id))
    },
  })
  const at = async <Done>(
    id: bigint,
    work: (siteId: bigint) => Promise<Result<Done>>,
  ): Promise<Result<Done>> => {
    const siteId = await store.siteOf(id)
    return siteId === null ? noSuchEndpoint(id) : work(siteId)
  }
  return {
    list: store.list,
    add: (siteId, draft) => changes.add(siteId, draft, by),
    change: (id, draft) => at(id, (siteId) => changes.change(siteId, id, draft, by)),
    remove: (id) => at(id, (siteId) => changes.remove(siteId, id, by)),
    rotate: (id) => at(id, (siteId) => changes.rotate(siteId, id, by)),
    removeOldSecret: (id) => at(id, (siteId) => changes.removeOldSecret(siteId, id, by)),
    pause: (id) => at(id, (siteId) => changes.pause(siteId, id, by)),
    resume: (id) => at(id, (siteId) => changes.resume(siteId, id, by)),
    test: (id) => at(id, (siteId) => changes.test(siteId, id, by)),
    sendAgain: (id, filter) => at(id, (siteId) => changes.sendAgain(siteId, id, filter, by)),
    async readLog(id, state, limit) {
      const siteId = await store.siteOf(id)
      return siteId === null ? null : store.readLog(siteId, id, { state, limit })
    },
  }
}
