import { createAdviceStore } from '../adapters/postgres/payments/advice-store.ts'
import { createPaymentStore } from '../adapters/postgres/payments/payment-store.ts'
import type { Processor } from '../usecases/banks/processor.ts'
import type { RenewalStore } from '../usecases/memberships/renewal-store.ts'
import type { AdviceStore } from '../usecases/payments/advice-store.ts'
import type { PaymentStore } from '../usecases/payments/payment-store.ts'
import type { CardVault } from '../usecases/vault/card-vault.ts'
import type { Foundation } from './foundation.ts'

/** The ports that keep gateway and bank in agreement. */
export interface Ports<
  Payments extends PaymentStore = PaymentStore,
  Bank extends Processor = Processor,
> {
  readonly payments: Payments
  readonly processor: Bank
  readonly advices: AdviceStore
  readonly renewals: RenewalStore
}

/** Puts something in front of the ports; what it leaves alone stays as it is. */
export type ChangePorts = <Payments extends PaymentStore, Bank extends Processor>(
  ports: Ports<Payments, Bank>,
) => Ports<Payments, Bank>

export type GatewayPorts = Ports<ReturnType<typeof createPaymentStore>>

/** The ports as a gateway uses them, unless `changePorts` puts something in front of them. */
export function wirePorts(
  { database, logger, metrics }: Foundation,
  parts: {
    readonly vault: CardVault
    readonly processor: Processor
    readonly renewals: RenewalStore
    readonly traces: { ports(ports: GatewayPorts): GatewayPorts }
  },
  changePorts: ChangePorts = (ports) => ports,
): GatewayPorts {
  const ports = changePorts({
    renewals: parts.renewals,
    advices: createAdviceStore(database.lane('advices'), parts.vault, (advice, error) =>
      logger.error({ advice, error: String(error) }, 'an advice cannot be sent: it stays queued'),
    ),
    payments: createPaymentStore(database),
    processor: metrics.watch(parts.processor),
  })
  return parts.traces.ports(ports)
}
