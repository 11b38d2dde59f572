import type { PaymentSeries, ProductDefinition } from './memberships.ts'
import { productParameters, seriesParameters } from './memberships.ts'
import type { Address, Parameters } from './parameters.ts'
import type { ThreeDsRequest } from './three-ds.ts'
import { threeDsParameters } from './three-ds.ts'

/** One line of an order. `amount` is the line's whole amount; the count does not multiply it. */
export interface LineItem {
  /** Decimal text such as '12.50': never a float. */
  readonly amount: string
  readonly productId?: string
  readonly count?: number
  readonly merchantProductId?: string
}

/**
 * A payment with a new card (`cardNumber`, or `cardToken` in its place, and `expiry`) or a saved
 * one (`customerId`).
 */
export interface PaymentDetails {
  /** The amount of a payment with one line, as decimal text; `lines` for more. */
  readonly amount?: string
  readonly lines?: readonly LineItem[]
  readonly cardNumber?: string
  /** A token of the token service; valid for one payment. */
  readonly cardToken?: string
  /** MMYYYY. */
  readonly expiry?: string
  readonly securityCode?: string
  readonly customerId?: string | number
  readonly paymentMethodId?: string | number
  readonly last4?: string
  readonly currency?: string
  readonly orderReference?: string
  /** Result of a repeated order reference: a new payment, a refusal, or the stored answer. */
  readonly duplicates?: 'allow' | 'refuse' | 'replay'
  readonly partial?: { readonly minimum?: string }
  /** The initiator of the payment: customer (CIT) or merchant (MIT). */
  readonly initiator?: 'customer' | 'merchant'
  /** A series that the shop charges itself: its first payment, or a renewal. */
  readonly recurring?: 'first' | 'rebill'
  readonly series?: PaymentSeries
  /** A product that the payment defines; a membership begins with the first line. */
  readonly product?: ProductDefinition
  readonly avs?: { readonly mode?: 'T' | 'F' | 'C' | 'I'; readonly accepted?: string }
  readonly cvv?: { readonly mode?: 'T' | 'F' | 'C' | 'I'; readonly accepted?: string }
  readonly customer?: {
    readonly reference?: string
    readonly firstName?: string
    readonly lastName?: string
    readonly email?: string
    readonly phone?: string
    readonly ipAddress?: string
  }
  readonly billing?: Address
  readonly shipping?: Address
  readonly threeDs?: ThreeDsRequest
  /** Other parameters, by their names in the payment interface. */
  readonly more?: Readonly<Record<string, string>>
}

/** A payment that can be repeated safely, because it has the shop's reference. */
export interface PaymentRequest extends Omit<PaymentDetails, 'duplicates' | 'orderReference'> {
  /**
   * The shop's name of this attempt, stored before the call. Repeats of the attempt use the same
   * one; an attempt with another card, or after a decline, uses a new one.
   */
  readonly orderReference: string
  /**
   * A name of this one request beside the reference: 1 to 64 printable characters, stored before
   * the call. Every answer to it is then repeated, declines and failures too. The enrolment call
   * and the final call of 3-D Secure are two requests and need two keys.
   */
  readonly idempotencyKey?: string
}

/** One of the two names of an order. */
export type OrderName = { readonly orderId: string | number } | { readonly orderReference: string }

/** An order and an amount; without an amount the whole order, if the action allows it. */
export type AdjustmentDetails = OrderName & {
  /** Decimal text. */
  readonly amount?: string
  readonly lineId?: string | number
  readonly more?: Readonly<Record<string, string>>
}

export type VoidDetails = AdjustmentDetails & {
  /** Refund what can no longer be voided. */
  readonly refundOnFail?: boolean
}

/** A capture or refund that can be repeated safely, because it has a key of the shop. */
export type AdjustmentRequest = AdjustmentDetails & {
  /**
   * The shop's name of this one operation, such as the number of a return: 1 to 64 printable
   * characters, stored before the call. Repeats of the operation use the same one.
   */
  readonly idempotencyKey: string
}

export type VoidRequest = VoidDetails & Pick<AdjustmentRequest, 'idempotencyKey'>

/** Something that has a status: an order, or a membership with all its charges. */
export type StatusName = OrderName | { readonly membershipId: string | number }

export type TransactionUpdate = OrderName & {
  readonly receipt?: string
  readonly membershipReference?: string
}

const DUPLICATES = { allow: '0', refuse: '1', replay: '2' } as const

export function paymentParameters(action: string, request: PaymentDetails): Parameters {
  const { customer, partial, avs, cvv, recurring } = request
  return {
    REQUEST_ACTION: action,
    PMT_NUMB: request.cardNumber,
    TOKEN_GUID: request.cardToken,
    PMT_EXPIRY: request.expiry,
    PMT_KEY: request.securityCode,
    CUST_ID: request.customerId,
    PMT_ID: request.paymentMethodId,
    PMT_L4: request.last4,
    ...lineParameters(request),
    REQUEST_CURRENCY: request.currency,
    XTL_ORDER_ID: request.orderReference,
    UNIQUE_XTL_ORDER_ID: request.duplicates && DUPLICATES[request.duplicates],
    PARTIAL_AUTH: partial && '1',
    PARTIAL_AUTH_MIN: partial?.minimum,
    REQUEST_INITATOR: request.initiator && (request.initiator === 'merchant' ? 'M' : 'C'),
    REQUEST_REBILL: recurring && (recurring === 'first' ? '2' : '1'),
    ...seriesParameters(request.series),
    ...productParameters(request.product),
    CHKAVS: avs?.mode,
    AVSMATCHSET: avs?.accepted,
    CHKCVV: cvv?.mode,
    CVVMATCHSET: cvv?.accepted,
    XTL_CUST_ID: customer?.reference,
    CUST_FNAME: customer?.firstName,
    CUST_LNAME: customer?.lastName,
    CUST_EMAIL: customer?.email,
    CUST_PHONE: customer?.phone,
    XTL_IP: customer?.ipAddress,
    ...addressParameters('BILL', request.billing),
    ...addressParameters('SHIP', request.shipping),
    ...threeDsParameters(request.threeDs),
    ...request.more,
  }
}

function lineParameters({ amount, lines }: PaymentDetails): Parameters {
  const parameters: Record<string, string | number | undefined> = {}
  const all = lines ?? (amount === undefined ? [] : [{ amount }])
  for (const [index, line] of all.entries()) {
    const at = index + 1
    parameters[`LI_VALUE_${at}`] = line.amount
    parameters[`LI_PROD_ID_${at}`] = line.productId
    parameters[`LI_COUNT_${at}`] = line.count
    parameters[`LI_XTL_PROD_ID_${at}`] = line.merchantProductId
  }
  return parameters
}

function addressParameters(prefix: 'BILL' | 'SHIP', address: Address | undefined): Parameters {
  return {
    [`${prefix}_ADDR`]: address?.street,
    [`${prefix}_ADDR2`]: address?.street2,
    [`${prefix}_ADDR_CITY`]: address?.city,
    [`${prefix}_ADDR_STATE`]: address?.state,
    [`${prefix}_ADDR_ZIP`]: address?.postalCode,
    [`${prefix}_ADDR_COUNTRY`]: address?.country,
  }
}

export function adjustmentParameters(action: string, request: VoidDetails): Parameters {
  return {
    ...orderParameters(action, request),
    REQUEST_REF_PO_LI_ID: request.lineId,
    LI_VALUE_1: request.amount,
    CREDIT_ON_FAIL: request.refundOnFail === true ? '1' : undefined,
    ...request.more,
  }
}

export function orderParameters(action: string, name: StatusName): Parameters {
  return {
    REQUEST_ACTION: action,
    REQUEST_REF_PO_ID: 'orderId' in name ? name.orderId : undefined,
    REQUEST_REF_PO_ID_XTL: 'orderReference' in name ? name.orderReference : undefined,
    REQUEST_REF_MBSHP_ID: 'membershipId' in name ? name.membershipId : undefined,
  }
}
