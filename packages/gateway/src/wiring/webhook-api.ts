import type pg from 'pg'
import { newWebhookSecret } from '../adapters/outwards/webhook-signature.ts'
import { createEndpointStore } from '../adapters/postgres/webhooks/endpoint-store.ts'
import { createWebhookReader } from '../adapters/postgres/webhooks/webhook-reader.ts'
import { webhookSecretBinding, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import type { ApiGateDeps } from '../http/api/api-gate.ts'
import { webhookService } from '../http/api/webhook-service.ts'
import { programPlugin } from '../http/servers/foreign-pages.ts'
import type { HttpPlugin } from '../http/servers/http-plugin.ts'
import { createChangeEndpoints } from '../usecases/webhooks/change-endpoints.ts'
import type { Foundation } from './foundation.ts'
import { isUnavailable } from './unavailable.ts'
import { outwardRules } from './webhooks.ts'

/**
 * The addresses at which programs manage endpoints.
 * @param reports where lists are read, so that they delay no payment
 */
export function webhookApi(
  { clock, config, database }: Foundation,
  access: Pick<ApiGateDeps, 'authenticate' | 'allowRequest' | 'nextRequestId' | 'logRequest'>,
  seal: SecretSeal,
  reports: pg.Pool,
): HttpPlugin {
  const changes = createChangeEndpoints({
    store: createEndpointStore(database.pool),
    rulesOf: outwardRules(config),
    newSecret: newWebhookSecret,
    openSeal: () => Promise.resolve((id, secret) => seal.seal(secret, webhookSecretBinding(id))),
  })
  return programPlugin(config.publicUrl, webhookService, {
    ...access,
    reader: createWebhookReader(reports),
    changes,
    clock,
    isUnavailable,
  })
}
