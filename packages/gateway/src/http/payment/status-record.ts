import { formatShortest } from '../../domain/money.ts'
import type { OrderEvent } from '../../usecases/payments/order-status.ts'
import type { Answer } from './answer.ts'
import type { EventTable, Field } from './record.ts'
import { number, text } from './record.ts'
import { ACTION_OF, API_VERSION, pushLine } from './transaction-record.ts'

/** The answer to CCSTATUS and CCTRANSUPDATE: every event of an order, oldest first. */
export function statusAnswer(events: readonly OrderEvent[]): Answer {
  const last = events.at(-1)
  return {
    body: { kind: 'events', events: events.map(eventOf) },
    httpStatus: 200,
    summary: {
      apiCode: '0',
      serviceCode: 100,
      refField: '',
      state: '',
      orderId: last?.transaction.orderId ?? null,
      transactionId: null,
    },
  }
}

function eventOf(event: OrderEvent): EventTable {
  const view = event.transaction
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
    text('REQ_ID', String(event.requestId)),
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
  return { transactionId: String(view.transactionId), fields }
}
