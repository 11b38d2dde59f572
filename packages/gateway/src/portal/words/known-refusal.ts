import type { RequestOutcome } from '@tollgate/portal-contract/request-outcomes'
import {
  adviceOf,
  REFUSALS,
  type WireRefusal,
  type RefusalName,
} from '../../http/payment/refusals.ts'

/** A refusal of the payment interface, found again by what the request log has of it. */
export interface KnownRefusal {
  /** `operation_refused`: the portal refused the operation of its user. */
  readonly name: RefusalName | 'operation_refused'
  readonly tier: 'API' | 'SERVICE'
  readonly code: number
  readonly text: string
  readonly meaning: string
}

/** The request log's data of a refused request. */
interface RefusedRequest {
  readonly action: string
  readonly apiCode: string
  readonly serviceCode: number
  readonly httpStatus: number
  readonly refField: string
  readonly state: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly outcome: RequestOutcome
  /** The portal's sentence, where it refused an operation of its user. */
  readonly operationRefusal: string | null
}

const NAMES = Object.keys(REFUSALS) as RefusalName[]

/**
 * Null for a request that was not refused. Several refusals share a code; the field and the request
 * distinguish them.
 */
export function findRefusal(request: RefusedRequest): KnownRefusal | null {
  if (request.outcome !== 'refused') return null
  if (request.operationRefusal !== null) {
    return {
      name: 'operation_refused',
      tier: 'SERVICE',
      code: request.serviceCode,
      text: 'Refused by the portal',
      meaning: request.operationRefusal,
    }
  }
  const fits = NAMES.filter((name) => isThis(REFUSALS[name], request))
  const [first] = fits
  if (first === undefined) return null
  const likely = likelyNames(request).find((name) => fits.includes(name)) ?? first
  const refusal: WireRefusal = REFUSALS[likely]
  return {
    name: likely,
    tier: refusal.tier === 'api' ? 'API' : 'SERVICE',
    code: refusal.code,
    text: adviceOf(refusal),
    meaning: refusal.meaning,
  }
}

function isThis(
  refusal: WireRefusal,
  { apiCode, serviceCode, httpStatus, state }: RefusedRequest,
): boolean {
  if (refusal.httpStatus !== httpStatus) return false
  if (refusal.tier === 'api') return String(refusal.code) === apiCode
  return (
    apiCode === '0' &&
    refusal.code === serviceCode &&
    (refusal.layout === 'adjustment') === (state === 'DECLINED')
  )
}

/** By the field at fault, and by what was asked for. */
function likelyNames({ refField, parameters, action }: RefusedRequest): readonly RefusalName[] {
  const has = (name: string): boolean => parameters[name] !== undefined
  const byField: Readonly<Record<string, readonly RefusalName[]>> = {
    REQUEST_RESPONSE_FORMAT: ['format_unknown'],
    REQUEST_API_VERSION: ['version_unknown'],
    REQUEST_CURRENCY: has('PMT_NUMB') || has('CUST_ID') ? [] : ['currency_mismatch'],
    DDC_REFERENCEID: ['ddc_reference_unknown'],
    P3DS_PROCTRANSID: ['authentication_unknown'],
    MBSHP_ID_XTL:
      parameters['TRANS_REBILL_TYPE'] === 'REBILL'
        ? ['membership_reference_unknown']
        : ['membership_reference_used'],
    PMT_ID: ['card_not_found'],
    PMT_ID_XTL: ['card_not_found'],
    PMT_L4: ['card_not_found'],
  }
  const isZero = Object.entries(parameters).some(
    ([name, value]) => name.startsWith('LI_VALUE_') && Number(value) === 0,
  )
  return [
    ...(byField[refField] ?? []),
    ...(has('P3DS_PROCTRANSID') ? (['authentication_mismatch'] as const) : []),
    ...(parameters['FORCE_CREDIT'] === '1' ? (['unreferenced_credit_not_allowed'] as const) : []),
    ...(action.startsWith('3DS') ? (['three_ds_not_set_up'] as const) : []),
    ...(isZero ? (['amount_not_positive'] as const) : (['amount_invalid'] as const)),
    'value_invalid',
    'order_unknown',
  ]
}
