import type { MembershipState } from '../../../domain/memberships/membership.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'

/** Which customers a list shows. Null: no such filter. */
export interface CustomerFilter {
  readonly merchantId: bigint
  /**
   * A name, an e-mail address, the shop's own reference, a customer id or the last four of a card.
   */
  readonly search: string | null
  /** Those who ordered there. */
  readonly siteId: bigint | null
  readonly hasCard: boolean | null
  readonly hasMembership: boolean | null
  /** Only customers with a lower id: where the page before ended. */
  readonly before: bigint | null
}

export interface CustomerRow {
  readonly id: bigint
  readonly mode: Mode
  readonly reference: string
  readonly name: string
  readonly email: string
  readonly createdAt: Date
  /** Saved cards that are there. */
  readonly cards: number
  /** The one used last; null for none. */
  readonly latestCard: { readonly brand: string; readonly last4: string } | null
  /** Memberships that are not over. */
  readonly memberships: number
  readonly lastOrderAt: Date | null
}

export interface CustomerList {
  readonly customers: readonly CustomerRow[]
  /**
   * The start of the next page; null: there is none. A page may be short and go on nevertheless.
   */
  readonly next: bigint | null
}

/** A postal address as payments bring it; '' for a part that is not known. */
export interface CustomerAddress {
  readonly street: string
  readonly street2: string
  readonly city: string
  readonly state: string
  readonly postalCode: string
  readonly country: string
  readonly district: string
}

/** The stored data of a customer that may be changed. */
export interface CustomerContact {
  readonly firstName: string
  readonly lastName: string
  readonly email: string
  readonly phone: string
  readonly billing: CustomerAddress
  readonly shipping: CustomerAddress
}

export interface SavedCardView {
  readonly id: bigint
  readonly mode: Mode
  readonly brand: string
  /** The first six digits; '' where the request that brought the card is not on record any more. */
  readonly bin: string
  readonly last4: string
  /** Null where it is not known. */
  readonly expiry: { readonly month: number; readonly year: number } | null
  /** `soon`: within 60 days. */
  readonly expires: 'past' | 'soon' | 'later' | 'unknown'
  readonly reference: string
  readonly firstUsedAt: Date
  readonly lastUsedAt: Date
  /** The last operation of the account updater; null: none. */
  readonly update: { readonly description: string; readonly on: string | null } | null
  readonly removedAt: Date | null
  /** Memberships that are not over and charge it. */
  readonly memberships: number
}

export interface CustomerOrder {
  readonly id: bigint
  readonly siteId: bigint
  readonly reference: string
  readonly kind: 'payment' | 'unreferenced_credit'
  readonly state: string
  readonly requestedMinor: bigint
  readonly authorizedMinor: bigint
  readonly capturedMinor: bigint
  readonly refundedMinor: bigint
  readonly currency: string
  readonly createdAt: Date
}

export interface CustomerMembership {
  readonly id: bigint
  readonly state: MembershipState
  readonly product: string
  readonly productName: string
  readonly nextAt: Date | null
}

/** Another customer of the merchant who may be the same person. */
export interface SimilarCustomer {
  readonly id: bigint
  readonly name: string
  readonly email: string
  readonly because: readonly ('card' | 'email')[]
}

export interface CustomerView {
  readonly id: bigint
  readonly mode: Mode
  readonly reference: string
  readonly login: string
  readonly createdAt: Date
  /** Null while the personal data are there. */
  readonly erasedAt: Date | null
  readonly contact: CustomerContact
  /** Further data from payments, by wire name. */
  readonly others: Readonly<Record<string, string>>
  readonly cards: readonly SavedCardView[]
  /** The newest ten. */
  readonly orders: readonly CustomerOrder[]
  readonly memberships: readonly CustomerMembership[]
  readonly similar: readonly SimilarCustomer[]
}

/** Why a card cannot be removed now, and the effects of its removal. */
export interface CardRemoval {
  /** A sentence each; none: it can be. */
  readonly standsAgainst: readonly string[]
  /** Captured with it and still refundable, by currency; no longer so after the removal. */
  readonly refundable: readonly {
    readonly currency: string
    readonly minor: bigint
    readonly orders: number
  }[]
}

/** The actor, and the actor's address. */
export interface CustomerRequester {
  readonly merchantId: bigint
  /** For the audit log. */
  readonly actor: string
  readonly address: string
}

export type ContactChange =
  | { readonly kind: 'done'; readonly contact: CustomerContact }
  | { readonly kind: 'not_found' }
  /** The personal data were erased, and stay so. */
  | { readonly kind: 'erased' }
  /** It is not what was seen any more. */
  | { readonly kind: 'changed'; readonly contact: CustomerContact }

export type RemovalResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] }

/** Customers and their cards, always those of one merchant. Null: there is none of that id. */
export interface CustomerBook {
  list(filter: CustomerFilter, limit: number): Promise<CustomerList>
  read(merchantId: bigint, customerId: bigint): Promise<CustomerView | null>
  /** Writes `wanted` only over `seen`; harmless to repeat. */
  changeContact(
    requester: CustomerRequester,
    customerId: bigint,
    seen: CustomerContact,
    wanted: CustomerContact,
  ): Promise<ContactChange>
  readRemoval(merchantId: bigint, customerId: bigint, cardId: bigint): Promise<CardRemoval | null>
  /** Erases the number for good unless something stands against it; harmless to repeat. */
  removeCard(
    requester: CustomerRequester,
    customerId: bigint,
    cardId: bigint,
  ): Promise<RemovalResult>
}
