import { isDeepStrictEqual } from 'node:util'
import type { MembershipCause } from '../../domain/memberships/membership-facts.ts'
import type { Membership, MembershipProduct } from '../../domain/memberships/membership.ts'
import {
  decideCancel,
  decideChange,
  type CancelTime,
  type MembershipDecision,
  type MembershipRefusal,
} from '../../domain/memberships/requested-changes.ts'
import type { Site } from '../merchants/merchant-directory.ts'
import { CommitUnknownError, untilKnown, type Patience } from '../payments/learn-truth.ts'
import type { PaymentStore } from '../payments/payment-store.ts'
import type { CardVault } from '../vault/card-vault.ts'
import type { MembershipStore, StoredMembership } from './membership-store.ts'
import type { MembershipSales } from './sold-memberships.ts'

interface AboutMembership {
  /** The API user whose request it is; absent for all others. */
  readonly apiUserId?: bigint
  readonly site: Site
  readonly membershipId: bigint
  /** The customer that the request names; null without one. */
  readonly customerId: bigint | null
}

export type MembershipCommand = AboutMembership &
  (
    | { readonly kind: 'cancel'; readonly when: CancelTime }
    /** Null for what stays as it is; one of them is not. */
    | { readonly kind: 'update'; readonly productId: string | null; readonly cardId: bigint | null }
  )

export type MembershipResult =
  | { readonly kind: 'done'; readonly membership: StoredMembership }
  | { readonly kind: 'refused'; readonly refusal: MembershipRefusal | 'membership_not_found' }

/** `store`: where it is read and written instead, for who writes more in the same transaction. */
export type ChangeMembership = (
  command: MembershipCommand,
  store?: MembershipStore,
) => Promise<MembershipResult>

export interface ChangeMembershipDeps extends Patience {
  readonly store: MembershipStore
  readonly products: Pick<MembershipSales, 'findProduct'>
  readonly cards: Pick<PaymentStore, 'findSavedCard'>
  readonly vault: Pick<CardVault, 'isReadable'>
}

/**
 * SUB_UPDATE and SUB_CANCEL. A concurrent change by a renewal or another request is read again and
 * decided again, so that neither overwrites the other.
 */
export function createChangeMembership(wired: ChangeMembershipDeps): ChangeMembership {
  return async (command, store = wired.store) => {
    const deps = { ...wired, store }
    for (;;) {
      const read = await deps.store.find(command.site, command.membershipId)
      if (
        read === null ||
        (command.customerId !== null && command.customerId !== read.customerId)
      ) {
        return { kind: 'refused', refusal: 'membership_not_found' }
      }
      const at = command.site.clock.now()
      const { apiUserId } = command
      const actor = apiUserId === undefined ? null : `api_user:${apiUserId}`
      const decision = await decide(deps, command, read, at)
      if (decision.kind === 'refused') return decision
      const { membership } = decision
      // The same request once more: there is nothing to write.
      if (membership === read.membership) return { kind: 'done', membership: read }
      if (await write(deps, read, membership, { at, origin: 'api', actor })) {
        return { kind: 'done', membership: { ...read, membership } }
      }
    }
  }
}

/** How long it may take to learn whether a change whose answer was lost is there. */
const PATIENCE_MS = 10_000

/** False: another request changed it first. */
async function write(
  deps: ChangeMembershipDeps,
  read: StoredMembership,
  membership: Membership,
  cause: MembershipCause,
): Promise<boolean> {
  const { store, monotonicMs } = deps
  try {
    return await store.change(read, membership, cause)
  } catch (error) {
    if (!(error instanceof CommitUnknownError)) throw error
    return untilKnown(deps, monotonicMs() + PATIENCE_MS, async () => {
      if (await store.change(read, membership, cause)) return true
      const found = await store.find({ id: read.siteId, mode: read.mode }, read.id)
      return found?.version === read.version + 1n && isDeepStrictEqual(found.membership, membership)
    })
  }
}

async function decide(
  deps: ChangeMembershipDeps,
  command: MembershipCommand,
  read: StoredMembership,
  at: Date,
): Promise<MembershipDecision> {
  const { membership } = read
  if (command.kind === 'cancel') return decideCancel(membership, command.when, at)
  const { productId, cardId } = command
  const product = productId === null ? undefined : await findProduct(deps, read.siteId, productId)
  const card = cardId === null ? undefined : await findCard(deps, read, cardId)
  return decideChange(membership, { product, cardId: card }, at)
}

async function findProduct(
  { products }: ChangeMembershipDeps,
  siteId: bigint,
  productId: string,
): Promise<MembershipProduct | null> {
  const found = await products.findProduct(siteId, productId)
  return found === null || !found.active || found.terms === null
    ? null
    : { ...found.terms, productId }
}

async function findCard(
  { cards, vault }: ChangeMembershipDeps,
  { merchantId, mode, customerId }: StoredMembership,
  id: bigint,
): Promise<bigint | null> {
  const found = await cards.findSavedCard(merchantId, mode, customerId, { by: 'id', id })
  if (found === null || found.paymentMethodId === null) return null
  return vault.isReadable(found.ciphertext) ? found.paymentMethodId : null
}
