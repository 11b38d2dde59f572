import type pg from 'pg'
import { newWebhookSecret } from '../../adapters/outwards/webhook-signature.ts'
import { createEndpointStore } from '../../adapters/postgres/webhooks/endpoint-store.ts'
import { createWebhookReader } from '../../adapters/postgres/webhooks/webhook-reader.ts'
import { webhookSecretBinding, type SecretSeal } from '../../adapters/vault/secret-seal.ts'
import {
  createChangeEndpoints,
  type ChangeEndpointsDeps,
} from '../../usecases/webhooks/change-endpoints.ts'
import type { PortalRoute } from '../shell/portal-route.ts'
import { deliveryRoutes } from './routes/delivery-routes.ts'
import { endpointRoutes } from './routes/endpoint-routes.ts'

interface WebhookPagesParts extends Pick<ChangeEndpointsDeps, 'rulesOf'> {
  readonly database: { readonly pool: pg.Pool }
  /** Seals the secrets that are made here. */
  readonly seal: SecretSeal
}

/** Endpoints of webhooks and their deliveries: by the use cases of the operator's commands. */
export function wireWebhookPages({
  database,
  rulesOf,
  seal,
}: WebhookPagesParts): readonly PortalRoute[] {
  const reader = createWebhookReader(database.pool)
  const changes = createChangeEndpoints({
    store: createEndpointStore(database.pool),
    rulesOf,
    newSecret: newWebhookSecret,
    openSeal: () => Promise.resolve((id, secret) => seal.seal(secret, webhookSecretBinding(id))),
  })
  return [...endpointRoutes({ reader, changes }), ...deliveryRoutes({ reader, changes })]
}
