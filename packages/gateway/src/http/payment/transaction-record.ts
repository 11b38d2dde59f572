import { formatMinor, formatShortest } from '../../domain/money.ts'
import type {
  LineView,
  ThreeDsView,
  TransactionKind,
  TransactionView,
} from '../../usecases/payments/transaction-view.ts'
import type { WireAnswer } from './answer.ts'
import type { Field } from './record.ts'
import { number, text } from './record.ts'
import { blankAdvices, tierFields } from './tiers.ts'

/** The only version. A tolerant site accepts requests with another one, and answers with this. */
export const API_VERSION = '4.14'

export const ACTION_OF: Readonly<Record<TransactionKind, string>> = {
  authorization: 'CCAUTHORIZE',
  sale: 'CCAUTHCAP',
  capture: 'CCCAPTURE',
  refund: 'CCCREDIT',
  void: 'CCREVERSE',
  capture_void: 'CCREVERSECAP',
}

/** The fields of the transaction record, in their order, that differ from one answer to another. */
export interface RecordValues {
  readonly action: string
  readonly requestId: bigint | null
  readonly status: string
  readonly view: TransactionView | null
  readonly customerReference: string
  readonly orderReference: string
  readonly merchantAccountId: string
}

/** The answer to a payment or an adjustment that became a transaction. */
export function transactionAnswer(view: TransactionView, requestId: bigint): WireAnswer {
  const status = view.state.toUpperCase()
  const record = transactionFields({
    action: ACTION_OF[view.kind],
    requestId,
    status,
    view,
    customerReference: view.customerReference,
    orderReference: view.orderReference,
    merchantAccountId: String(view.merchantAccountId),
  })
  for (const [index, line] of view.lines.entries()) pushLine(record, line, index + 1, view)
  const { codes } = view
  if (view.state === 'approved') {
    // A deployed shop plugin takes any advice on an approval, even one blank, for a refusal.
    record.push(...tierFields({ api: '0', service: 100 }))
  } else {
    record.push(
      ...tierFields(
        blankAdvices({
          api: '0',
          service: codes.service,
          serviceAdvice: codes.serviceAdvice,
          processor: codes.processor,
          processorAdvice: codes.processorAdvice,
          industry: codes.industry,
          industryAdvice: codes.industryAdvice,
        }),
      ),
    )
  }
  return {
    body: { kind: 'record', record },
    httpStatus: 200,
    summary: {
      apiCode: '0',
      serviceCode: view.state === 'approved' ? 100 : codes.service,
      refField: '',
      state: status,
      orderId: view.orderId,
      transactionId: view.transactionId,
    },
  }
}

/**
 * The whole transaction record. Every field is there on every answer, empty where there is nothing
 * to say: merchants' programs look fields up without asking whether they exist.
 */
export function transactionFields(values: RecordValues): Field[] {
  const { view } = values
  const card = view?.card
  const settled = view === null ? null : settledOf(view)
  return [
    text('REQUEST_ACTION', values.action),
    text('REQ_ID', values.requestId === null ? '' : String(values.requestId)),
    text('TRANS_STATUS_NAME', values.status),
    number('TRANS_VALUE', view === null ? '' : formatShortest(view.valueMinor, view.currency)),
    text('CURR_CODE_ALPHA', view?.currency.code ?? ''),
    settled?.value ?? text('TRANS_VALUE_SETTLED', ''),
    text('CURR_CODE_ALPHA_SETTLED', settled?.currency ?? ''),
    number('TRANS_EXCH_RATE', view?.conversion?.rate ?? ''),
    number('TRANS_ID', view?.transactionId ?? ''),
    number('CUST_ID', view?.customerId ?? ''),
    text('XTL_CUST_ID', values.customerReference),
    number('PO_ID', view?.orderId ?? ''),
    text('XTL_ORDER_ID', values.orderReference),
    number('BATCH_ID', view?.batchId ?? ''),
    text('PROC_NAME', view?.processorName ?? ''),
    number('MERCH_ACCT_ID', values.merchantAccountId),
    text('CARD_BRAND_NAME', card?.brand ?? ''),
    text('CARD_TYPE', card?.type ?? ''),
    text('CARD_CLASS', card?.class ?? ''),
    number('CARD_PREPAID', card === undefined ? '' : card.prepaid ? 1 : 0),
    text('CARD_BANK', card?.bank ?? ''),
    text('CARD_COUNTRY', card?.country ?? ''),
    text('CARD_DETAIL', card?.detail ?? ''),
    text('CARD_BALANCE', card?.balance ?? ''),
    text('PMT_L4', card?.last4 ?? ''),
    number('PMT_ID', card?.paymentMethodId ?? ''),
    text('PMT_ID_XTL', card?.paymentMethodReference ?? ''),
    text('PMT_AAU_UPDATE_DT', card?.updatedOn ?? ''),
    text('PMT_AAU_UPDATE_DESC', card?.updateDescription ?? ''),
    text('PROC_UDF01', view?.processorUdf1 ?? ''),
    text('PROC_UDF02', view?.processorUdf2 ?? ''),
    text('ANI_RESP_DECISION', ''),
    text('PROC_AUTH_RESPONSE', view?.authCode ?? ''),
    text('PROC_RETRIEVAL_NUM', view?.retrievalReference ?? ''),
    text('PROC_REFERENCE_NUM', view?.processorReference ?? ''),
    text('PROC_REDIRECT_URL', view?.threeDs?.challenge?.url ?? ''),
    text('AVS_RESPONSE', view?.avsCode ?? ''),
    text('CVV_RESPONSE', view?.cvvCode ?? ''),
    text('CARD_BRAND_TRANSID', view?.networkTransactionId ?? ''),
    text('REQUEST_API_VERSION', API_VERSION),
    text('P3DS_VENDOR', ''),
    text('P3DS_RESPONSE', view?.threeDs?.response ?? ''),
    ...(view === null || view.threeDs === null ? [] : threeDsFields(view.threeDs)),
    number('TRANS_NTOKEN_USED', card?.networkToken === true ? 1 : 0),
  ]
}

/**
 * Fields that only answers to 3-D Secure have, the interface's own two first. Clients of two
 * generations read the challenge under different names, so it stands under both.
 */
function threeDsFields(threeDs: ThreeDsView): Field[] {
  const { challenge, cardholderInfo } = threeDs
  const fields: Field[] = []
  if (challenge !== null) {
    fields.push(text('P3DS_ACS_URL', challenge.url), text('P3DS_PAYLOAD', challenge.payload))
  }
  fields.push(
    text('P3DS_ECI', threeDs.eci),
    text('P3DS_PROCTRANSID', threeDs.procTransId),
    text('P3DS_PROCVERSION', threeDs.version),
    text('P3DS_TRANSID', threeDs.dsTransId),
  )
  if (challenge !== null) fields.push(text('P3DS_JWT', challenge.payload))
  if (cardholderInfo !== '') fields.push(text('P3DS_CARDHOLDER_INFO', cardholderInfo))
  return fields
}

/** The amount that will be settled: none for a transaction that was not approved. */
function settledOf(view: TransactionView): { value: Field; currency: string } | null {
  if (view.state !== 'approved') return null
  const name = 'TRANS_VALUE_SETTLED'
  if (view.conversion === null) {
    const value = number(name, formatShortest(view.valueMinor, view.currency))
    return { value, currency: view.currency.code }
  }
  // The exact product has more decimals than the currency, which is why it is a string in JSON.
  return { value: text(name, view.conversion.exact), currency: view.conversion.currency.code }
}

export function pushLine(record: Field[], line: LineView, at: number, view: TransactionView): void {
  record.push(
    text(`PO_LI_ID_${at}`, String(line.id)),
    number(`PO_LI_COUNT_${at}`, line.count),
    text(`PO_LI_AMOUNT_${at}`, formatMinor(line.amountMinor, view.currency)),
    text(`PO_LI_PROD_ID_${at}`, line.product),
    text(`MBSHP_ID_${at}`, line.membershipId === null ? '' : String(line.membershipId)),
  )
}
