import type { FastifyRequest } from 'fastify'
import { maskText } from '../../base/card-masking.ts'
import { findCurrency } from '../../domain/currency.ts'
import type { WireAnswer } from './answer.ts'
import { FORM_TYPE } from './charset.ts'
import { NO_NAME, type Form } from './form.ts'

/** The address of the page in the portal that explains a request; null in production. */
export type WhyUrl = ((requestId: bigint) => string) | null

type Headers = Readonly<Record<string, string>>

const NONE: Headers = {}
/** The only characters of a name that a header repeats; `*` stands for masked digits. */
const HARMLESS = /^[\w.*-]+$/

/**
 * Headers with which the sandbox explains its answers: the page about the request, and the names
 * that no parameter has. Clients of this interface read no headers, so that they disturb none.
 */
export function explainingHeaders(
  whyUrl: WhyUrl,
  { unknown }: Pick<Form, 'unknown'>,
  requestId: bigint | null,
): Headers {
  if (whyUrl === null) return NONE
  // At most 20 names of 64 characters: the form keeps no more.
  const names = new Set(unknown.filter((name) => name !== NO_NAME).map(maskText))
  const shown = [...names].filter((name) => HARMLESS.test(name))
  return {
    ...(requestId === null ? NONE : { 'tollgate-why': whyUrl(requestId) }),
    ...(shown.length === 0 ? NONE : { 'tollgate-unknown-parameters': shown.join(', ') }),
  }
}

/** A sentence of the sandbox where the fixed texts of the interface say too little. */
export function adviceHeader(
  { httpStatus, summary }: WireAnswer,
  { params }: Pick<Form, 'params'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): Headers {
  const advice =
    httpStatus === 415
      ? aboutType(headers['content-type'] ?? '')
      : summary.apiCode === '112'
        ? aboutDecimals(summary.refField, params)
        : null
  return advice === null ? NONE : { 'tollgate-advice': advice }
}

function aboutType(type: string): string {
  if (type.toLowerCase().startsWith(FORM_TYPE)) return 'Send the form in UTF-8 or ISO-8859-1.'
  const form = `Send the parameters as a form (${FORM_TYPE}).`
  return type.toLowerCase().includes('json') ? `${form} JSON is not read.` : form
}

/** Null for a value that is no decimal number. One that is can only have too many decimals. */
function aboutDecimals(refField: string, params: ReadonlyMap<string, string>): string | null {
  if (!HARMLESS.test(refField) || !/^\d*\.\d+$/.test(params.get(refField) ?? '')) return null
  const currency = findCurrency(params.get('REQUEST_CURRENCY') ?? '')
  return currency === null
    ? `${refField} has too many decimals for the currency.`
    : `${refField} has too many decimals: ${currency.code} has ${currency.digits}.`
}
