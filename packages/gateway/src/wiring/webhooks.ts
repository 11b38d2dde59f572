import { randomInt } from 'node:crypto'
import { inTime } from '../adapters/metrics/in-time.ts'
import { watchDeliveries } from '../adapters/metrics/webhook-metrics.ts'
import {
  createPostOutwards,
  OUTWARD_LIMITS,
  resolveName,
} from '../adapters/outwards/outward-request.ts'
import { newWebhookSecret, signWebhook } from '../adapters/outwards/webhook-signature.ts'
import { readBacklog } from '../adapters/postgres/webhooks/backlog.ts'
import { createDeliveryQueue } from '../adapters/postgres/webhooks/delivery-queue.ts'
import { webhookSecretBinding, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import type { GatewayConfig } from '../config/config.ts'
import { deliveryPace } from '../domain/webhooks/delivery-pace.ts'
import { readNetwork, type Network } from '../domain/webhooks/network.ts'
import type { OutwardRules } from '../domain/webhooks/outward-rules.ts'
import type { TurnCounts } from '../http/payment/fair-turns.ts'
import { createWebhookDelivery } from '../usecases/webhooks/deliver-webhooks.ts'
import { createPacedQueue } from '../usecases/webhooks/paced-queue.ts'
import { pause, type Foundation } from './foundation.ts'
import type { Part } from './part.ts'

export const DELIVER_WEBHOOKS = 'deliver webhooks'
const RANDOM_STEPS = 1_000
const LOOK_EVERY_MS = 1_000
/** A retry that comes so soon wakes the job of an idle process; later ones may be a little late. */
const WAKES_WITHIN_MS = 60_000

/** The settings that say where webhooks may go. */
export type OutwardSettings = Pick<
  GatewayConfig,
  'mode' | 'webhookAllowedNetworks' | 'webhookRefusedNetworks' | 'webhookPorts'
>

/**
 * Loopback is allowed for test sites of a sandbox only: at a gateway in production, merchants share
 * the machine with services of the operator.
 */
export function outwardRules(config: OutwardSettings): (mode: 'test' | 'live') => OutwardRules {
  const networks = (texts: readonly string[]): readonly Network[] =>
    texts.flatMap((text) => readNetwork(text) ?? [])
  const shared = {
    allowed: networks(config.webhookAllowedNetworks),
    refused: networks(config.webhookRefusedNetworks),
    ports: config.webhookPorts,
  }
  return (mode) => ({ ...shared, allowsLoopback: mode === 'test' && config.mode === 'sandbox' })
}

/**
 * Delivers events to the endpoints of merchants.
 * @param turns the merchants' requests of this process, which deliveries make way for
 */
export function wireWebhooks(
  foundation: Foundation,
  seal: SecretSeal,
  wake: (job: string) => void,
  turns: () => TurnCounts,
): Part {
  const { clock, config, database, logger, metrics, monotonicMs, siteClocks } = foundation
  const countAttempt = watchDeliveries(
    metrics.registry,
    inTime(() => readBacklog(database.pool)),
  )
  const queue = createPacedQueue(createDeliveryQueue(database.lane('webhooks')))
  const delivery = createWebhookDelivery({
    queue,
    post: createPostOutwards({
      limits: OUTWARD_LIMITS,
      resolve: resolveName,
      monotonicMs,
      connection: {},
    }),
    async openSecret(endpointId, { ciphertext }) {
      return seal.open(ciphertext, webhookSecretBinding(endpointId))
    },
    sign: signWebhook,
    newSecret: newWebhookSecret,
    isSandbox: config.mode === 'sandbox',
    rulesOf: outwardRules(config),
    clock,
    siteClocks,
    random: () => randomInt(RANDOM_STEPS) / RANDOM_STEPS,
    pause,
    onEnd(outcome, retryMs) {
      if (outcome !== 'held') countAttempt(outcome)
      wake(DELIVER_WEBHOOKS)
      if (retryMs === null || retryMs > WAKES_WITHIN_MS) return
      setTimeout(() => wake(DELIVER_WEBHOOKS), retryMs).unref()
    },
    onError: (endpoint, error) =>
      logger.error(
        { endpoint: endpoint.toString(), error: String(error) },
        'a delivery of a webhook was interrupted and is repeated',
      ),
  })
  return {
    jobs: [
      {
        name: DELIVER_WEBHOOKS,
        everyMs: LOOK_EVERY_MS,
        async run() {
          const { inWork, waiting } = turns()
          const pace = deliveryPace(inWork + waiting)
          queue.follow(pace)
          const hasMore = await delivery.look()
          await pause(pace.restMs)
          return hasMore
        },
      },
    ],
    drain: () => delivery.stop(),
  }
}
