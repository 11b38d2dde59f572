import type {
  Catalogue,
  CustomerContact,
  CustomerList,
  CustomerView,
  MembershipList,
  MembershipView,
  SiteForecast,
} from '../answers/customers.ts'
import type { CardRemoval, CustomerErasureView } from '../answers/erasures.ts'
import { get, post, put, remove, type Done } from '../route.ts'

interface CustomersQuery {
  readonly search?: string
  readonly site?: string
  readonly cards?: 'yes' | 'no'
  readonly memberships?: 'yes' | 'no'
  /** The value of `next` on the page before. */
  readonly before?: string
}

interface MembershipsQuery {
  readonly site?: string
  /** Several with commas between. */
  readonly states?: string
  readonly product?: string
  readonly customer?: string
  /** Days of the merchant's zone, both included. */
  readonly from?: string
  readonly until?: string
  readonly order?: 'newest' | 'due'
  readonly afterAt?: string
  readonly after?: string
}

export type MembershipRequest =
  | { readonly kind: 'cancel'; readonly when: 'now' | 'at_rebill' }
  | { readonly kind: 'product'; readonly productId: string }
  | { readonly kind: 'card'; readonly cardId: string }
  | { readonly kind: 'retry' }

interface NewProduct {
  readonly id: string
  readonly name?: string
  readonly type?: '1' | '2'
  readonly metric?: string
  readonly period?: string
  readonly price?: string
  readonly currency?: string
}

/** Customers and their cards. */
export const customers = {
  list: get('/customers', 'customers.see').answers<CustomerList, { query: CustomersQuery }>(),
  read: get('/customers/:customerId', 'customers.see').answers<CustomerView>(),
  changeContact: put('/customers/:customerId/contact', 'customers.change').answers<
    { readonly contact: CustomerContact },
    { body: { readonly seen: CustomerContact; readonly wanted: CustomerContact } }
  >(),
  readRemoval: get(
    '/customers/:customerId/cards/:cardId/removal',
    'customers.change',
  ).answers<CardRemoval>(),
  removeCard: remove('/customers/:customerId/cards/:cardId', 'customers.change').answers<Done>(),
  readErasure: get(
    '/customers/:customerId/erasure',
    'customers.erase',
  ).answers<CustomerErasureView>(),
  erase: post('/customers/:customerId/erasure', 'customers.erase').answers<Done>(),
}

/** Memberships, and their expected charges. */
export const memberships = {
  list: get('/memberships', 'memberships.see').answers<
    MembershipList,
    { query: MembershipsQuery }
  >(),
  read: get('/memberships/:membershipId', 'memberships.see').answers<MembershipView>(),
  change: post('/memberships/:membershipId/changes', 'memberships.change').answers<
    { readonly what: string },
    { body: { readonly key: string; readonly seen: string; readonly request: MembershipRequest } }
  >(),
  forecast: get('/renewals/forecast', 'memberships.see').answers<
    { readonly sites: readonly SiteForecast[] },
    { query: { readonly site?: string } }
  >(),
}

/** The products of a site. */
export const products = {
  catalogue: get('/products', 'memberships.see').answers<
    Catalogue,
    { query: { readonly site: string; readonly search?: string } }
  >(),
  add: post('/sites/:siteId/products', 'products.change').answers<
    { readonly productId: string },
    { body: NewProduct }
  >(),
  setActive: put('/sites/:siteId/products/active', 'products.change').answers<
    Done,
    { body: { readonly productId: string; readonly active: boolean } }
  >(),
}
