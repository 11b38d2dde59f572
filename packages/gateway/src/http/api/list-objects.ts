import type { Currency } from '../../domain/currency.ts'
import { formatMinor } from '../../domain/money.ts'
import type {
  ListedCard,
  ListedNames,
  ListedRows,
  ListName,
} from '../../usecases/queries/listed-rows.ts'
import { PAYOUT_SUMS } from '../../usecases/queries/listed-rows.ts'

export type ListValue =
  | string
  | number
  | boolean
  | null
  | readonly string[]
  | readonly ListObject[]
  | ListObject
/** A row as JSON: ids and amounts are texts, times are UTC. */
export type ListObject = { readonly [name: string]: ListValue }

/** Each list's rows as objects. */
export const LIST_OBJECTS: {
  readonly [Name in ListName]: (row: ListedRows[Name]) => ListObject
} = {
  orders(order) {
    const amount = amountIn(order.currency)
    const { authorizedMinor, capturedMinor, voidedMinor } = order
    return {
      po_id: order.orderId,
      ...placeOf(order),
      status: order.state === 'authorized' ? 'APPROVED' : order.state.toUpperCase(),
      kind: order.kind,
      created_at: order.createdAt.toISOString(),
      ...namesOf(order),
      currency: order.currency.code,
      requested_amount: amount(order.requestedMinor),
      authorized: amount(authorizedMinor),
      captured: amount(capturedMinor),
      voided: amount(voidedMinor),
      refunded: amount(order.refundedMinor),
      remaining: amount(authorizedMinor - capturedMinor - voidedMinor),
      expires_at: timeOf(order.expiresAt),
      released_at: timeOf(order.releasedAt),
    }
  },
  transactions(transaction) {
    const amount = amountIn(transaction.currency)
    return {
      trans_id: transaction.transactionId,
      po_id: transaction.orderId,
      ...placeOf(transaction),
      action: transaction.kind,
      status: transaction.state.toUpperCase(),
      origin: transaction.origin.toUpperCase(),
      portal_user_id: transaction.portalUserId,
      req_id: transaction.requestId,
      created_at: transaction.createdAt.toISOString(),
      concluded_at: timeOf(transaction.concludedAt),
      ...namesOf(transaction),
      currency: transaction.currency.code,
      requested_amount: amount(transaction.requestedMinor),
      amount: amount(transaction.valueMinor),
      voided: amount(transaction.voidedMinor),
      batch_id: transaction.batchId,
      codes: { ...transaction.codes },
      avs: transaction.avs,
      cvv: transaction.cvv,
      eci: transaction.eci,
    }
  },
  memberships: (membership) => ({
    mbshp_id: membership.membershipId,
    ...placeOf(membership),
    status: membership.state.toUpperCase(),
    created_at: membership.createdAt.toISOString(),
    cust_id: membership.customerId,
    xtl_cust_id: membership.customerReference,
    mbshp_id_xtl: membership.reference,
    first_po_id: membership.firstOrderId,
    product: membership.product,
    next_product: membership.nextProduct,
    amount: formatMinor(membership.priceMinor, membership.currency),
    currency: membership.currency.code,
    pmt_id: membership.cardId,
    next_charge: timeOf(membership.nextChargeAt),
    attempts: membership.attempts,
    ends_at: timeOf(membership.endsAt),
    over_at: timeOf(membership.overAt),
  }),
  customers: (customer) => ({
    cust_id: customer.customerId,
    mode: customer.mode,
    xtl_cust_id: customer.reference,
    created_at: customer.createdAt.toISOString(),
    cards: customer.cards.map(cardOf),
  }),
  batches: (batch) => ({
    batch_id: batch.batchId,
    merchant_account_id: batch.accountId,
    mode: batch.mode,
    status: batch.state.toUpperCase(),
    opened_at: batch.openedAt.toISOString(),
    closed_at: timeOf(batch.closedAt),
    agreed_at: timeOf(batch.agreedAt),
    sums:
      batch.sums?.map((sum) => ({
        currency: sum.currency.code,
        action: sum.action,
        brand: sum.brand,
        transactions: sum.transactions,
        amount: formatMinor(sum.amountMinor, sum.currency),
        voided: formatMinor(sum.voidedMinor, sum.currency),
      })) ?? null,
  }),
  payouts(payout) {
    const { net, ...sums } = Object.fromEntries(
      PAYOUT_SUMS.map((sum) => [sum, formatMinor(payout.sumsMinor[sum], payout.currency)]),
    )
    return {
      payout_id: payout.payoutId,
      settlement_file_id: payout.fileId,
      merchant_account_id: payout.accountId,
      mode: payout.mode,
      status: payout.state.toUpperCase(),
      booked_at: payout.bookedAt.toISOString(),
      reference: payout.reference,
      trace: payout.trace,
      currency: payout.currency.code,
      ...sums,
      amount: net ?? '',
      value_date: payout.valueDate,
      arrives: payout.arrives,
    }
  },
  disputes: (dispute) => ({
    dispute_id: dispute.disputeId,
    case_id: dispute.caseId,
    merchant_account_id: dispute.accountId,
    mode: dispute.mode,
    status: dispute.state.toUpperCase(),
    po_id: dispute.orderId,
    xtl_order_id: dispute.orderReference,
    brand: dispute.brand,
    amount: formatMinor(dispute.amountMinor, dispute.currency),
    currency: dispute.currency.code,
    reason: dispute.reason,
    charged: dispute.isCharged,
    respond_by: dispute.respondBy,
    opened_at: dispute.openedAt.toISOString(),
    changed_at: dispute.changedAt.toISOString(),
    ended_at: timeOf(dispute.endedAt),
  }),
}

function amountIn(currency: Currency): (minor: bigint) => string {
  return (minor) => formatMinor(minor, currency)
}

function timeOf(time: Date | null): string | null {
  return time?.toISOString() ?? null
}

function placeOf({ mode, siteId }: Pick<ListedNames, 'mode' | 'siteId'>): ListObject {
  return { site_id: siteId, mode }
}

function namesOf(names: ListedNames): ListObject {
  return {
    xtl_order_id: names.reference,
    cust_id: names.customerId,
    xtl_cust_id: names.customerReference,
    mbshp_ids: names.membershipIds,
    mbshp_id_xtl: names.membershipReference,
    card: cardOf(names.card),
  }
}

/** As CCSTATUS shows it: never more of a card than this. */
function cardOf({ brand, id, last4, reference }: ListedCard): ListObject {
  return { brand, last4, pmt_id: id, pmt_id_xtl: reference }
}
