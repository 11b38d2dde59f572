import type { WireAnswer, Echo } from './answer.ts'
import type { Field } from './record.ts'
import { text } from './record.ts'
import type { WireRefusal } from './refusals.ts'
import { adviceOf } from './refusals.ts'
import type { Tiers } from './tiers.ts'
import { blankAdvices, statusBlock, tierFields } from './tiers.ts'
import { transactionFields } from './transaction-record.ts'

/**
 * The answer to a request that moved nothing. It has every field of a transaction record, so that
 * programs that read fields by name find an empty text. It holds no order, transaction or amount:
 * a deployed shop plugin takes an echoed order id for a refund made.
 */
export function refusalAnswer(refusal: WireRefusal, field: string, echo: Echo): WireAnswer {
  const status = refusal.layout === 'adjustment' ? 'DECLINED' : ''
  const refField = field.slice(0, 64)
  const tiers = refusalTiers(refusal, refField)
  const record: Field[] = [
    ...transactionFields({ ...echo, status, view: null }),
    ...tierFields(tiers),
  ]
  return answerOf(record, refusal, tiers, status)
}

/** The same in the short layout of the membership actions. */
export function membershipRefusalAnswer(
  refusal: WireRefusal,
  name: string,
  echo: Echo,
): WireAnswer {
  const tiers = refusalTiers(refusal, name.slice(0, 64))
  const record: Field[] = [
    text('REQUEST_ACTION', echo.action),
    ...statusBlock(tiers),
    text('CUST_ID', ''),
    text('MBSHP_ID', ''),
    text('MBSHP_CANCEL_TS_UTC', ''),
    text('MBSHP_REBILL_TS_UTC', ''),
  ]
  return answerOf(record, refusal, tiers, '')
}

/**
 * The short layout of addresses that make no transaction: the request, what was wrong, and where.
 */
export function shortRefusalAnswer(refusal: WireRefusal, field: string, echo: Echo): WireAnswer {
  const tiers = refusalTiers(refusal, field.slice(0, 64))
  const record: Field[] = [
    text('REQ_ID', echo.requestId === null ? '' : String(echo.requestId)),
    text('API_RESPONSE', tiers.api),
    text('API_ADVICE', (tiers.apiAdvice ?? '').trim()),
    text('SERVICE_RESPONSE', String(tiers.service)),
    text('SERVICE_ADVICE', (tiers.serviceAdvice ?? '').trim()),
    text('REF_FIELD', tiers.refField ?? ''),
  ]
  return answerOf(record, refusal, tiers, '')
}

function answerOf(record: Field[], refusal: WireRefusal, tiers: Tiers, state: string): WireAnswer {
  return {
    body: { kind: 'record', record },
    httpStatus: refusal.httpStatus,
    summary: {
      apiCode: tiers.api,
      serviceCode: tiers.service === '' ? 0 : tiers.service,
      refField: tiers.refField ?? '',
      state,
      orderId: null,
      transactionId: null,
    },
  }
}

function refusalTiers(refusal: WireRefusal, refField: string): Tiers {
  switch (refusal.tier) {
    case 'api':
      return blankAdvices({
        api: String(refusal.code),
        apiAdvice: adviceOf(refusal),
        service: 0,
        serviceAdvice: 'Declined',
        refField,
      })
    case 'service':
      return blankAdvices({
        api: '0',
        service: refusal.code,
        serviceAdvice: adviceOf(refusal),
        refField,
      })
    case null:
      // Not even "processed" can be said, so the API tier is empty rather than 0.
      return blankAdvices({
        api: '',
        service: refusal.code,
        serviceAdvice: adviceOf(refusal),
        refField,
      })
  }
}
