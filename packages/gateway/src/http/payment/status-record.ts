import { amountDue, membershipTimes } from '../../domain/memberships/membership.ts'
import { formatMembershipTimestamp } from '../../domain/memberships/timestamp.ts'
import { formatShortest } from '../../domain/money.ts'
import type { StoredMembership } from '../../usecases/memberships/membership-store.ts'
import type { OrderEvent, OrderEvents } from '../../usecases/payments/order-status.ts'
import type { WireAnswer } from './answer.ts'
import { followUpFields } from './follow-up-fields.ts'
import type { EventTable, Field } from './record.ts'
import { number, text } from './record.ts'
import { ACTION_OF, API_VERSION, pushLine } from './transaction-record.ts'

/** The header of an answer that leaves rows out; its value is the number of rows listed. */
const TRUNCATED = 'tollgate-truncated'

/**
 * The answer to CCSTATUS and CCTRANSUPDATE: a row for every event, those of the latest order first.
 * @param membership the membership that was asked for, which every row describes; null: an order
 * @param withFollowUp whether the columns about each card's next payment were asked for
 */
export function statusAnswer(
  { events, isTruncated }: OrderEvents,
  membership: StoredMembership | null,
  withFollowUp: boolean,
): WireAnswer {
  const fields = membership === null ? [] : membershipFields(membership)
  return {
    body: { kind: 'events', events: events.map((event) => eventOf(event, fields, withFollowUp)) },
    httpStatus: 200,
    headers: isTruncated ? { [TRUNCATED]: String(events.length) } : {},
    summary: {
      apiCode: '0',
      serviceCode: 100,
      refField: '',
      state: '',
      orderId: events[0]?.transaction.orderId ?? null,
      transactionId: null,
    },
  }
}

function membershipFields({ id, membership }: StoredMembership): readonly Field[] {
  const { cancelAt, rebillAt } = membershipTimes(membership)
  const { minor, currency } = amountDue(membership)
  return [
    number('MBSHP_ID', id),
    text('MBSHP_STATE', membership.state.toUpperCase()),
    text('MBSHP_REBILL_TS_UTC', rebillAt === null ? '' : formatMembershipTimestamp(rebillAt)),
    number('MBSHP_REBILL_VALUE', rebillAt === null ? '' : formatShortest(minor, currency)),
    text('MBSHP_CANCEL_TS_UTC', cancelAt === null ? '' : formatMembershipTimestamp(cancelAt)),
  ]
}

function eventOf(
  event: OrderEvent,
  ofMembership: readonly Field[],
  withFollowUp: boolean,
): EventTable {
  const view = event.transaction
  // No request can name the expiry of an authorization, and none asked for it.
  const isExpiry = event.origin === 'expiry'
  const { card, codes } = view
  const approved = view.state === 'approved'
  const fields: Field[] = [
    text('REQUEST_ACTION', ACTION_OF[view.kind]),
    text('TRANS_STATUS_NAME', view.state.toUpperCase()),
    number('TRANS_VALUE', formatShortest(view.valueMinor, view.currency)),
    text('CURR_CODE_ALPHA', view.currency.code),
    number('CUST_ID', view.customerId),
    text('XTL_CUST_ID', view.customerReference),
    number('PO_ID', view.orderId),
    text('XTL_ORDER_ID', view.orderReference),
    number('BATCH_ID', view.batchId),
    text('PROC_NAME', view.processorName),
    number('MERCH_ACCT_ID', view.merchantAccountId),
    text('CARD_BRAND_NAME', card.brand),
    text('CARD_DETAIL', card.detail),
    text('CARD_TYPE', card.type),
    text('CARD_CLASS', card.class),
    text('CARD_COUNTRY', card.country),
    number('CARD_PREPAID', card.prepaid ? 1 : 0),
    text('CARD_BANK', card.bank),
    text('REQ_ID', isExpiry ? '' : String(event.requestId)),
    text('PMT_L4', card.last4),
    number('PMT_ID', card.paymentMethodId),
    text('PMT_ID_XTL', card.paymentMethodReference),
    text('PROC_UDF01', view.processorUdf1),
    text('PROC_UDF02', view.processorUdf2),
    text('PROC_AUTH_RESPONSE', view.authCode),
    text('PROC_RETRIEVAL_NUM', view.retrievalReference),
    text('PROC_REFERENCE_NUM', view.processorReference),
    text('AVS_RESPONSE', view.avsCode),
    text('CVV_RESPONSE', view.cvvCode),
    text('MBSHP_ID_XTL', event.membershipReference),
    number('TRANS_SETTLED', event.batchClosed ? 1 : 0),
    text('REQUEST_API_VERSION', API_VERSION),
    number('SERVICE_RESPONSE', approved ? 100 : codes.service),
    text('SERVICE_ADVICE', approved ? '' : codes.serviceAdvice),
    number('PROCESSOR_RESPONSE', approved ? 0 : codes.processor || '0'),
    text('PROCESSOR_ADVICE', approved ? '' : codes.processorAdvice),
  ]
  for (const [index, line] of view.lines.entries()) pushLine(fields, line, index + 1, view)
  fields.push(
    ...ofMembership,
    text('TRANS_TS_UTC', formatMembershipTimestamp(event.at)),
    text('TRANS_ORIGIN', event.origin.toUpperCase()),
    ...(withFollowUp ? followUpFields(view.followUp) : []),
  )
  return { transactionId: isExpiry ? '' : String(view.transactionId), fields }
}
