import { invariant } from '../../base/invariant.ts'
import {
  decideKey,
  pickReferenced,
  type IdempotencyKey,
  type ReferencedOrder,
} from '../../domain/payments/idempotency-key.ts'
import type { Site, SiteInMode } from '../merchants/merchant-directory.ts'
import type { AdjustmentCommand, AdjustmentResult, AdjustOrder } from './adjustment-command.ts'
import { stored, type ClaimedReferenceDeps } from './claimed-reference.ts'
import {
  digestRequest,
  KeyTakenError,
  type IdempotencyKeyStore,
  type RepeatableRequest,
} from './idempotency-key.ts'
import type { OrderSelector } from './order-status.ts'

/** An adjustment as a merchant's program asks for it. */
export interface NamedAdjustment extends Omit<AdjustmentCommand, 'orderId' | 'key' | 'permit'> {
  readonly order: OrderSelector
  /** Null: a repeat is another adjustment. */
  readonly repeatable: RepeatableRequest | null
}

export type NamedAdjustmentResult =
  | Exclude<AdjustmentResult, { kind: 'done' | 'not_permitted' }>
  /** The reference names several orders. */
  | { readonly kind: 'ambiguous' }
  /** Another request has the key. */
  | { readonly kind: 'key_reused' }
  | (Extract<AdjustmentResult, { kind: 'done' }> & {
      /** The adjustment is an earlier request's of the same key. */
      readonly replayed?: true
    })

export interface AdjustNamedOrderDeps extends Pick<
  ClaimedReferenceDeps,
  'digest' | 'findTransaction'
> {
  readonly adjustOrder: AdjustOrder
  readonly keys: IdempotencyKeyStore
  /** Two at most, the authorized ones first. */
  readonly findReferenced: (
    site: SiteInMode,
    reference: string,
  ) => Promise<readonly ReferencedOrder[]>
}

export type AdjustNamedOrder = (command: NamedAdjustment) => Promise<NamedAdjustmentResult>

/**
 * Captures, refunds and voids for merchants' programs. The key is written with the adjustment, in
 * one transaction, so that a key without its adjustment never exists, nor the other way round.
 */
export function createAdjustNamedOrder(deps: AdjustNamedOrderDeps): AdjustNamedOrder {
  return async ({ order, repeatable, ...command }) => {
    const key = repeatable === null ? null : digestRequest(deps.digest, repeatable)
    for (;;) {
      const repeated = key === null ? null : await answerOfKey(deps, command.site, key)
      if (repeated !== null) return repeated
      const found = await findOrder(deps, command.site, order)
      if (found === 'ambiguous') return { kind: 'ambiguous' }
      if (found === 'none') return { kind: 'refused', refusal: 'order_not_found' }
      try {
        const result = await deps.adjustOrder({ ...command, orderId: found.orderId, key })
        invariant(result.kind !== 'not_permitted', 'an adjustment without conditions was refused')
        return result
      } catch (error) {
        // Another request of the key was faster: it is written, so the next look finds it.
        if (!(error instanceof KeyTakenError)) throw error
      }
    }
  }
}

async function answerOfKey(
  deps: AdjustNamedOrderDeps,
  site: Site,
  key: IdempotencyKey,
): Promise<NamedAdjustmentResult | null> {
  const decision = decideKey(await deps.keys.findKey(site, key.key), key)
  if (decision.kind === 'free') return null
  if (decision.kind === 'reused') return { kind: 'key_reused' }
  return { ...(await stored(deps, decision.transactionId)), replayed: true }
}

async function findOrder(
  { findReferenced }: AdjustNamedOrderDeps,
  site: Site,
  order: OrderSelector,
): Promise<Pick<ReferencedOrder, 'orderId'> | 'none' | 'ambiguous'> {
  if (order.by === 'id') return order
  return pickReferenced(await findReferenced(site, order.reference))
}
