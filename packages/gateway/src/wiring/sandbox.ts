import type { SandboxGateDeps } from '../http/sandbox/sandbox-gate.ts'
import type { PerformOperation } from '../usecases/sandbox/perform-operation.ts'
import type { Foundation } from './foundation.ts'
import type { Memberships } from './memberships.ts'
import type { Part } from './part.ts'
import type { Payments } from './payments.ts'
import { wireSandboxOperations } from './sandbox-operations.ts'
import type { VaultParts } from './vault.ts'
import { wireWebhookReceivers, type ReceiverParts } from './webhook-receivers.ts'

export interface SandboxNeeds {
  readonly access: Pick<SandboxGateDeps, 'authenticate' | 'allowRequest'>
  readonly payments: Pick<Payments, 'releaseExpired'>
  readonly memberships: Pick<Memberships, 'operations'>
  readonly wake: (job: string) => void
  /** The addresses that this gateway serves, plain HTTP first; known once it serves. */
  readonly addresses: () => readonly string[]
}

/** Receivers of webhooks and operations of the sandbox, with the parts that the portal uses. */
export function wireSandbox(
  foundation: Foundation,
  { evidence, seal }: Pick<VaultParts, 'evidence' | 'seal'>,
  { access, addresses, memberships, payments, wake }: SandboxNeeds,
): {
  readonly parts: readonly Part[]
  readonly uses: {
    readonly receiverUses: ReceiverParts['uses']
    readonly performOperation: PerformOperation
  }
} {
  const catching = wireWebhookReceivers(foundation, seal, access, addresses)
  const { releaseExpired: release } = payments
  const needs = { evidence, release, memberships: memberships.operations, access, wake }
  const { performOperation, ...operations } = wireSandboxOperations(foundation, needs)
  return {
    parts: [catching, operations],
    uses: { receiverUses: catching.uses, performOperation },
  }
}
