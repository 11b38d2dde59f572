import { randomBytes } from 'node:crypto'
import { judgeSignature } from '../adapters/outwards/signature-verdict.ts'
import { newWebhookSecret } from '../adapters/outwards/webhook-signature.ts'
import { createEndpointStore } from '../adapters/postgres/webhooks/endpoint-store.ts'
import { createFaultStore } from '../adapters/postgres/webhooks/fault-store.ts'
import { createReceiverStore } from '../adapters/postgres/webhooks/receiver-store.ts'
import { webhookSecretBinding, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import { CATCH_PATH, catchService } from '../http/sandbox/catch-service.ts'
import { receiverService } from '../http/sandbox/receiver-service.ts'
import type { SandboxGateDeps } from '../http/sandbox/sandbox-gate.ts'
import { programPlugin } from '../http/servers/foreign-pages.ts'
import { createCatchWebhook } from '../usecases/webhooks/catch-webhook.ts'
import { createChangeEndpoints } from '../usecases/webhooks/change-endpoints.ts'
import {
  createSetFaults,
  type FaultStore,
  type SetFaults,
} from '../usecases/webhooks/change-faults.ts'
import {
  createChangeReceivers,
  type ChangeReceivers,
} from '../usecases/webhooks/change-receivers.ts'
import type { ReceiverStore } from '../usecases/webhooks/receiver-store.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import { isUnavailable } from './unavailable.ts'
import { outwardRules } from './webhooks.ts'

const ID_BYTES = 24

export interface ReceiverParts extends Part {
  /** How receivers are changed and read, by the sandbox's addresses and by the portal. */
  readonly uses: {
    readonly changes: ChangeReceivers
    readonly receivers: ReceiverStore
    readonly setFaults: SetFaults
    readonly faults: FaultStore
  }
}

/**
 * The sandbox's own receivers of webhooks; in production they have no address.
 * @param addresses those that this gateway serves, plain HTTP first; known once it serves
 */
export function wireWebhookReceivers(
  { clock, config, database, siteClocks }: Foundation,
  seal: SecretSeal,
  access: Pick<SandboxGateDeps, 'authenticate' | 'allowRequest'>,
  addresses: () => readonly string[],
): ReceiverParts {
  const store = createReceiverStore(database.pool)
  const endpoints = createChangeEndpoints({
    store: createEndpointStore(database.pool),
    rulesOf: outwardRules(config),
    newSecret: newWebhookSecret,
    openSeal: () => Promise.resolve((id, secret) => seal.seal(secret, webhookSecretBinding(id))),
  })
  const changes = createChangeReceivers({
    store,
    endpoints,
    newId: () => `rcv_${randomBytes(ID_BYTES).toString('base64url')}`,
    urlOf: (id) => `${reachable(addresses()[0] ?? config.publicUrl)}${CATCH_PATH}/${id}`,
  })
  const catchWebhook = createCatchWebhook({
    store,
    async openSecret(endpointId, { ciphertext }) {
      return seal.open(ciphertext, webhookSecretBinding(endpointId))
    },
    judge: judgeSignature,
    clock,
    siteClocks,
  })
  const faults = createFaultStore(database.pool)
  const setFaults = createSetFaults(faults)
  const service = { ...access, changes, store, setFaults, faults, isUnavailable }
  return {
    uses: { changes, receivers: store, setFaults, faults },
    routes:
      config.mode === 'sandbox'
        ? [
            programPlugin(config.publicUrl, receiverService, service),
            programPlugin(config.publicUrl, catchService, { catchWebhook }),
          ]
        : [],
  }
}

/** A server that listens everywhere is reached on loopback. */
function reachable(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
