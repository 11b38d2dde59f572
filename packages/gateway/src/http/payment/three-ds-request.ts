import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import { recurringEvery } from '../../usecases/three-ds/recurring-sale.ts'
import type { Recurring, ThreeDsRequest } from '../../usecases/three-ds/three-ds-request.ts'
import { missingOutsidePart, OUTSIDE_RESULT, readOutsideResult } from './outside-authentication.ts'
import { describeParameter } from './parameter-names.ts'
import type { ActionRequest, RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { mayReturnTo } from './return-url.ts'
import { isSent, type SentRequest } from './sent-request.ts'
import { missingOfBrowser, readBrowser } from './three-ds-parameters.ts'

type Params = ReadonlyMap<string, string>

/** What a request's parameters amount to, before any of their values is judged. */
export interface ThreeDsPart {
  readonly kind: ThreeDsRequest['kind'] | 'none'
  /** Without those of 3-D Secure that don't count, whatever they hold; null: all do. */
  readonly params: Params | null
}

export const NO_PART: ThreeDsPart = { kind: 'none', params: null }

/** A final call of long ago named its transaction so, and had the issuer's answer beside it. */
const OLDER_NAME = 'P3DS_TRANSID'
const OF_OLDER_NAME = OUTSIDE_RESULT.filter((name) => name !== OLDER_NAME)

/** Tells which kind of 3-D Secure request this is. Most are none, and cost no copy. */
export function findThreeDsPart(params: Params): ThreeDsPart {
  const final = params.get('P3DS_PROCTRANSID') ?? olderTransactionId(params)
  if (final !== undefined) {
    const counted = withoutThreeDs(params).set('P3DS_PROCTRANSID', final)
    const paRes = params.get('REQUEST_PARES')
    if (paRes !== undefined) counted.set('REQUEST_PARES', paRes)
    return { kind: 'final', params: counted }
  }
  if (params.get('REQUEST_ENROLLMENT') === '1') {
    if (missingOfBrowser(params).length === 0) return { kind: 'enrol', params: null }
    return { kind: 'skipped', params: withoutThreeDs(params) }
  }
  if (OUTSIDE_RESULT.some((name) => params.has(name))) return { kind: 'outside', params: null }
  return params.get('REQ_LOW_VALUE_SCAEXEMPTION') === '1'
    ? { kind: 'exempt', params: null }
    : NO_PART
}

/** What the request log says of a payment that wanted 3-D Secure, and was silently done without. */
export function threeDsWarnings(params: Params): string[] {
  if (params.get('REQUEST_ENROLLMENT') !== '1' || findThreeDsPart(params).kind !== 'skipped')
    return []
  const missing = missingOfBrowser(params)
  const verb = missing.length === 1 ? 'is' : 'are'
  return [`3-D Secure was skipped: ${missing.join(', ')} ${verb} missing.`]
}

function olderTransactionId(params: Params): string | undefined {
  if (!params.has('REQUEST_PARES')) return undefined
  return OF_OLDER_NAME.some((name) => params.has(name)) ? undefined : params.get(OLDER_NAME)
}

function withoutThreeDs(params: Params): Map<string, string> {
  const rest = new Map(params)
  for (const name of params.keys()) {
    if (describeParameter(name)?.group === 'authentication') rest.delete(name)
  }
  return rest
}

/** The first parameter that the request needs for what it wants of 3-D Secure. */
export function missingThreeDsPart(
  kind: ThreeDsPart['kind'],
  sent: SentRequest,
): RefusedReading | null {
  if (kind === 'outside') return missingOutsidePart(sent)
  if (kind !== 'enrol') return null
  const needed = ['DDC_REFERENCEID', 'P3DS_RETURN_URL'] as const
  const absent = needed.find((name) => !isSent(sent, name))
  return absent === undefined ? null : missing(absent)
}

/** `sent`: what counts, its forms being checked; `request`: as it was sent. */
export function readThreeDs(
  kind: ThreeDsPart['kind'],
  sent: SentRequest,
  request: ActionRequest,
): ThreeDsRequest | RefusedReading | null {
  switch (kind) {
    case 'none':
      return null
    case 'exempt':
      return { kind }
    case 'skipped':
      return { kind, missing: missingOfBrowser(request.params) }
    case 'final':
      return {
        kind,
        procTransId: sent.P3DS_PROCTRANSID ?? '',
        paRes: sent.REQUEST_PARES ?? null,
      }
    case 'outside': {
      const values = readOutsideResult(sent)
      return 'kind' in values ? values : { kind, values }
    }
    case 'enrol':
      return readEnrolment(sent, request.site)
  }
}

function readEnrolment(sent: SentRequest, site: Site): ThreeDsRequest | RefusedReading {
  // Somebody's result and a wish for another one: nobody can tell which shall count.
  const outside = OUTSIDE_RESULT.find((name) => isSent(sent, name))
  if (outside !== undefined) return refused('value_invalid', outside)
  const returnUrl = sent.P3DS_RETURN_URL ?? ''
  if (!mayReturnTo(site, returnUrl)) return refused('value_invalid', 'P3DS_RETURN_URL')
  return {
    kind: 'enrol',
    reference: sent.DDC_REFERENCEID ?? '',
    returnUrl,
    // The default: whatever size the shop's frame has, the issuer's page fills it.
    window: sent.P3DS_CHALLENGE_WINDOW ?? '05',
    browser: readBrowser(sent),
    recurring: readRecurring(sent),
  }
}

/** What the request itself says; a subscription of unknown rhythm says a day. */
function readRecurring(sent: SentRequest): Recurring | null {
  const { PROD_TYPE: type, PROD_REBILL_METRIC: metric = '', PROD_REBILL_PERIOD: length } = sent
  if (type === '1' || type === '2')
    return recurringEvery(metric, Number(length ?? '1'), type === '2')
  return sent.REQUEST_REBILL === '2' ? recurringEvery('D', 1, true) : null
}
