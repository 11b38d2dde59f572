import type { RebillHistories } from '../../packages/gateway/src/usecases/memberships/rebill-history.ts'
import type { MembershipSales } from '../../packages/gateway/src/usecases/memberships/sold-memberships.ts'

function notAsked(): never {
  throw new Error('No payment of this world sells a membership.')
}

/** A world without memberships. */
export const NO_MEMBERSHIPS: MembershipSales = {
  findProduct: notAsked,
  define: notAsked,
  hasOne: notAsked,
}

export const NO_REBILLS: RebillHistories = { find: notAsked }
