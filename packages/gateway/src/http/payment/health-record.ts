import { serviceAdvice } from '../../domain/payments/service-codes.ts'
import type { WireAnswer, Echo } from './answer.ts'
import type { Field } from './record.ts'
import { number, text } from './record.ts'
import { blankAdvices, tierFields } from './tiers.ts'
import { API_VERSION } from './transaction-record.ts'

export const USER_AUTHORIZED = 100
export const SERVICE_AVAILABLE = 101

/** The answer to TESTAUTH and TESTGW: the fields of a transaction, all empty, and the tiers. */
export function healthAnswer(
  code: typeof USER_AUTHORIZED | typeof SERVICE_AVAILABLE,
  echo: Echo,
): WireAnswer {
  const tiers = blankAdvices({ api: '0', service: code, serviceAdvice: serviceAdvice(code) })
  const record: Field[] = [
    text('REQUEST_ACTION', echo.action),
    text('REQ_ID', echo.requestId === null ? '' : String(echo.requestId)),
    ...EMPTY_BEFORE.map((name) => text(name, '')),
    ...tierFields(tiers),
    text('PROC_NAME', ''),
    text('AVS_RESPONSE', ''),
    text('CVV_RESPONSE', ''),
    text('REQUEST_API_VERSION', API_VERSION),
    number('TRANS_NTOKEN_USED', 0),
  ]
  return {
    body: { kind: 'record', record },
    httpStatus: 200,
    summary: {
      apiCode: '0',
      serviceCode: code,
      refField: '',
      state: '',
      orderId: null,
      transactionId: null,
    },
  }
}

const EMPTY_BEFORE = [
  'TRANS_STATUS_NAME',
  'TRANS_VALUE',
  'TRANS_ID',
  'CUST_ID',
  'XTL_CUST_ID',
  'MERCH_ACCT_ID',
  'CARD_BRAND_NAME',
  'PMT_L4',
  'PMT_ID',
  'PMT_ID_XTL',
]
