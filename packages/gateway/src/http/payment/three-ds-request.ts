import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import { recurringEvery } from '../../usecases/three-ds/recurring-sale.ts'
import type { Recurring, ThreeDsRequest } from '../../usecases/three-ds/three-ds-request.ts'
import { missingOutsidePart, OUTSIDE_RESULT, readOutsideResult } from './outside-authentication.ts'
import { describeParameter } from './parameter-names.ts'
import type { RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { mayReturnTo } from './return-url.ts'
import { inTableOrder, isSent, type RequestReading, type SentRequest } from './sent-request.ts'
import { missingOfBrowser, readBrowser } from './three-ds-parameters.ts'

type ThreeDsKind = ThreeDsRequest['kind'] | 'none'

/** The kind of 3-D Secure request that a payment is, and the parameters that count for it. */
export interface ThreeDsPart {
  readonly kind: ThreeDsKind
  /**
   * The parameters of 3-D Secure that count, and the name each is read under. The values of all
   * others are ignored. Null: all count under their own names.
   */
  readonly counted: ReadonlyMap<string, string> | null
  /** Wire names of the missing parameters of the browser, where 3-D Secure is skipped for them. */
  readonly missing: readonly string[]
}

/** A final call in its older form names the transaction so, beside the issuer's response. */
const OLDER_NAME = 'P3DS_TRANSID'
const OF_OLDER_NAME = OUTSIDE_RESULT.filter((name) => name !== OLDER_NAME)
const NONE: ReadonlyMap<string, string> = new Map()

export const NO_PART = partOf('none')

/** Finds out which kind of 3-D Secure request this is, before any value is judged. */
export function findThreeDsPart(sent: SentRequest): ThreeDsPart {
  const name = finalName(sent)
  if (name !== null) {
    const counted = new Map([
      [name, 'P3DS_PROCTRANSID'],
      ['REQUEST_PARES', 'REQUEST_PARES'],
    ])
    return { kind: 'final', counted, missing: [] }
  }
  if (sent.REQUEST_ENROLLMENT === true) {
    const missing = missingOfBrowser(sent)
    return missing.length === 0 ? partOf('enrol') : { kind: 'skipped', counted: NONE, missing }
  }
  if (OUTSIDE_RESULT.some((each) => isSent(sent, each))) return partOf('outside')
  return sent.REQ_LOW_VALUE_SCAEXEMPTION === true ? partOf('exempt') : NO_PART
}

function partOf(kind: ThreeDsKind): ThreeDsPart {
  return { kind, counted: null, missing: [] }
}

/** The parameter that names the transaction of a finished challenge; null: none does. */
function finalName(sent: SentRequest): 'P3DS_PROCTRANSID' | typeof OLDER_NAME | null {
  if (isSent(sent, 'P3DS_PROCTRANSID')) return 'P3DS_PROCTRANSID'
  if (!isSent(sent, 'REQUEST_PARES') || !isSent(sent, OLDER_NAME)) return null
  return OF_OLDER_NAME.some((name) => isSent(sent, name)) ? null : OLDER_NAME
}

/** The reading without the parameters of 3-D Secure that do not count. */
export function countedReading(reading: RequestReading, part: ThreeDsPart): RequestReading {
  if (part.counted === null) return reading
  const sent = Object.entries(reading.sent).flatMap(([name, value]) => {
    const counted = countedName(part, name)
    return counted === null ? [] : [[counted, value] as const]
  })
  const faults = reading.faults.flatMap(({ name, field }) => {
    const counted = countedName(part, field)
    return counted === null ? [] : [{ name, field: counted }]
  })
  return { sent: Object.fromEntries(sent) as unknown as SentRequest, faults: inTableOrder(faults) }
}

/** The name that a parameter is read under; null for one that does not count. */
export function countedName({ counted }: ThreeDsPart, name: string): string | null {
  if (counted === null || describeParameter(name)?.group !== 'authentication') return name
  return counted.get(name) ?? null
}

/** Says in the request log why a payment that asked for 3-D Secure was made without it. */
export function threeDsWarnings(request: ThreeDsRequest | null): string[] {
  if (request?.kind !== 'skipped') return []
  const { missing } = request
  const verb = missing.length === 1 ? 'is' : 'are'
  return [`3-D Secure was skipped: ${missing.join(', ')} ${verb} missing.`]
}

/** The first missing parameter that this kind of 3-D Secure request needs. */
export function missingThreeDsPart(kind: ThreeDsKind, sent: SentRequest): RefusedReading | null {
  if (kind === 'outside') return missingOutsidePart(sent)
  if (kind !== 'enrol') return null
  const needed = ['DDC_REFERENCEID', 'P3DS_RETURN_URL'] as const
  const absent = needed.find((name) => !isSent(sent, name))
  return absent === undefined ? null : missing(absent)
}

/** @param sent the parameters that count; their forms are checked already */
export function readThreeDs(
  { kind, missing: missingParts }: ThreeDsPart,
  sent: SentRequest,
  site: Site,
): ThreeDsRequest | RefusedReading | null {
  switch (kind) {
    case 'none':
      return null
    case 'exempt':
      return { kind }
    case 'skipped':
      return { kind, missing: missingParts }
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
      return readEnrolment(sent, site)
  }
}

function readEnrolment(sent: SentRequest, site: Site): ThreeDsRequest | RefusedReading {
  // A result beside a request for another one: either could be the one to use.
  const outside = OUTSIDE_RESULT.find((name) => isSent(sent, name))
  if (outside !== undefined) return refused('value_invalid', outside)
  const returnUrl = sent.P3DS_RETURN_URL ?? ''
  if (!mayReturnTo(site, returnUrl)) return refused('value_invalid', 'P3DS_RETURN_URL')
  return {
    kind: 'enrol',
    reference: sent.DDC_REFERENCEID ?? '',
    returnUrl,
    // By default the issuer's page fills the shop's frame of any size.
    window: sent.P3DS_CHALLENGE_WINDOW ?? '05',
    browser: readBrowser(sent),
    recurring: readRecurring(sent),
  }
}

/** Read from the request alone; a subscription of unknown period is given as daily. */
function readRecurring(sent: SentRequest): Recurring | null {
  const { PROD_TYPE: type, PROD_REBILL_METRIC: metric = '', PROD_REBILL_PERIOD: length } = sent
  if (type === '1' || type === '2')
    return recurringEvery(metric, Number(length ?? '1'), type === '2')
  return sent.REQUEST_REBILL === '2' ? recurringEvery('D', 1, true) : null
}
