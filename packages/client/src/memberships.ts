import type { Parameters } from './parameters.ts'
import type { RawRecord, Tier } from './raw-record.ts'
import { field, tier } from './raw-record.ts'

/** PROD_*: a product that a payment defines. Its price is the amount of the line. */
export interface ProductDefinition {
  readonly name: string
  /** 'renews' until it is cancelled, or ends after one period. */
  readonly kind: 'renews' | 'ends'
  /** The length of a period, 1 to 9999 units. */
  readonly period: { readonly length: number; readonly unit: 'days' | 'months' | 'years' }
}

/** A series of payments that the shop keeps itself: renewals, trials and instalments. */
export interface PaymentSeries {
  /** TRANS_REBILL_TYPE; needs `membershipReference` unless it is 'none'. */
  readonly type?: 'none' | 'trial' | 'initial' | 'rebill'
  readonly installment?: boolean
  /** MBSHP_ID_XTL: the shop's own id of the subscription. */
  readonly membershipReference?: string
  /** ORIG_CARD_BRAND_TRANSID: `networkTransactionId` of the first payment. */
  readonly networkTransactionId?: string
  /** PMT_NUMB_COF: the card number is from the merchant's own card store. */
  readonly ownCardStore?: boolean
  /** TRANS_TRIAL_REBILL_CUSTOMER_CONSENT: the cardholder's consent after a trial. */
  readonly consent?: string
}

export interface MembershipCancellation {
  readonly membershipId: string | number
  /** At once, or at the end of the paid period. */
  readonly when: 'now' | 'period end'
  /** If given, it must be the customer of the membership. */
  readonly customerId?: string | number
}

export interface MembershipUpdate {
  readonly membershipId: string | number
  /** Another product, from the next renewal on. */
  readonly productId?: string
  /** Another saved card of the customer. */
  readonly paymentMethodId?: string | number
  readonly customerId?: string | number
}

/** The answer to a cancellation or a change. */
export interface MembershipAnswer {
  /** False if the gateway refused: see `api`, `service` and `refField`. */
  readonly done: boolean
  /** MBSHP_REBILL_TS_UTC: time of the next charge, such as 'June, 28 2024 22:00:59'; '' if none. */
  readonly nextCharge: string
  /** MBSHP_CANCEL_TS_UTC: end of the membership in the same form; '' if none. */
  readonly endsAt: string
  readonly api: Tier
  readonly service: Tier
  /** The parameter at fault, '' if none. */
  readonly refField: string
  readonly raw: RawRecord
}

const UNITS = { days: 'D', months: 'M', years: 'Y' } as const

export function productParameters(product: ProductDefinition | undefined): Parameters {
  if (product === undefined) return {}
  return {
    PROD_NAME: product.name,
    PROD_TYPE: product.kind === 'renews' ? '2' : '1',
    PROD_REBILL_METRIC: UNITS[product.period.unit],
    PROD_REBILL_PERIOD: product.period.length,
  }
}

export function seriesParameters(series: PaymentSeries | undefined): Parameters {
  if (series === undefined) return {}
  const { installment, ownCardStore } = series
  return {
    TRANS_REBILL_TYPE: series.type?.toUpperCase(),
    REQUEST_INSTALLMENT: installment === undefined ? undefined : installment ? '1' : '0',
    MBSHP_ID_XTL: series.membershipReference,
    ORIG_CARD_BRAND_TRANSID: series.networkTransactionId,
    PMT_NUMB_COF: ownCardStore === undefined ? undefined : ownCardStore ? '1' : '0',
    TRANS_TRIAL_REBILL_CUSTOMER_CONSENT: series.consent,
  }
}

export function cancellationParameters(request: MembershipCancellation): Parameters {
  return {
    REQUEST_ACTION: 'SUB_CANCEL',
    REQUEST_REF_MBSHP_ID: request.membershipId,
    SUB_CANCEL_TYPE: request.when === 'now' ? '1' : '2',
    CUST_ID: request.customerId,
  }
}

export function updateParameters(request: MembershipUpdate): Parameters {
  return {
    REQUEST_ACTION: 'SUB_UPDATE',
    REQUEST_REF_MBSHP_ID: request.membershipId,
    SUB_UPDATE_PROD_ID: request.productId,
    SUB_UPDATE_PMT_ID: request.paymentMethodId,
    CUST_ID: request.customerId,
  }
}

export function readMembership(raw: RawRecord): MembershipAnswer {
  const [api, service] = [tier(raw, 'API'), tier(raw, 'SERVICE')]
  return {
    done: api.code === '0' && (service.code === '0' || service.code === '102'),
    nextCharge: field(raw, 'MBSHP_REBILL_TS_UTC'),
    endsAt: field(raw, 'MBSHP_CANCEL_TS_UTC'),
    api,
    service,
    refField: field(raw, 'REF_FIELD'),
    raw,
  }
}
