import type { NewClaim } from '../../domain/payments/reference-claim.ts'
import type { Mode, Site } from '../merchants/merchant-directory.ts'

/** The products whose memberships a payment sells: no other sale to the customer may hold one. */
export interface MembershipClaim {
  readonly siteId: bigint
  readonly mode: Mode
  readonly merchantId: bigint
  readonly customerId: bigint
  /** Ids of the products, none twice. */
  readonly products: readonly string[]
  readonly at: Date
}

/** The customer has a membership of the product, or a sale of one is running. */
export class MembershipTakenError extends Error {
  constructor() {
    super('The customer has a membership of the product, or a sale of one is running')
    this.name = 'MembershipTakenError'
  }
}

/** SERVICE code of a payment that was declined for it after its authentication. */
export const MEMBERSHIP_TAKEN_SERVICE = 690

/** The memberships that the payment sells to the customer, for the bank's turn; null: none. */
export function claimMemberships(
  payment: {
    readonly command: { readonly site: Site }
    readonly sells: readonly { readonly product: { readonly productId: string } }[]
  },
  customerId: bigint,
  at: Date,
): MembershipClaim | null {
  if (payment.sells.length === 0) return null
  const products = payment.sells.map(({ product }) => product.productId)
  const { id: siteId, merchantId, mode } = payment.command.site
  return { siteId, mode, merchantId, customerId, products, at }
}

/** The claims of an authenticated payment: on its order's reference and on its memberships. */
export interface ClaimsOfPayment {
  readonly claim: NewClaim | null
  readonly membershipClaim: MembershipClaim | null
}

/** The claims that a payment takes after its authentication, when the bank's turn comes. */
export function claimsAfterAuthentication(
  reference: NewClaim & { readonly held: boolean },
  payment: Parameters<typeof claimMemberships>[0],
  customerId: bigint,
  at: Date,
): ClaimsOfPayment {
  return {
    claim: reference.held ? reference : null,
    membershipClaim: claimMemberships(payment, customerId, at),
  }
}
