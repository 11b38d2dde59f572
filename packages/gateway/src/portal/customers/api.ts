// What the portal's API answers of customers, products and memberships. Types alone.
import type { Wire } from '../shell/api.ts'
import type * as customers from './usecases/customers.ts'
import type * as view from './usecases/membership-view.ts'
import type * as memberships from './usecases/memberships.ts'
import type * as products from './usecases/products.ts'
import type * as forecast from './usecases/renewal-forecast.ts'

export type CustomerList = Wire<customers.CustomerList>
export type CustomerRow = Wire<customers.CustomerRow>
export type CustomerView = Wire<customers.CustomerView>
export type CustomerContact = Wire<customers.CustomerContact>
export type CustomerAddress = Wire<customers.CustomerAddress>
export type CardView = Wire<customers.CardView>
export type CardRemoval = Wire<customers.CardRemoval>
export type CustomerOrder = Wire<customers.CustomerOrder>
export type Catalogue = Wire<products.Catalogue>
export type ProductView = Wire<products.ProductView>
export type MembershipList = Wire<memberships.MembershipList>
export type MembershipRow = Wire<memberships.MembershipRowView>
export type MembershipCard = Wire<memberships.MembershipCard>
export type ChargeView = Wire<memberships.ChargeView>
export type MembershipView = Wire<view.MembershipView>
export type TermsView = Wire<view.TermsView>
export type SiteForecast = Wire<forecast.SiteForecast>
