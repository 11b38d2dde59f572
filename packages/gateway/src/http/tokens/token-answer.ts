import type { Secret } from '../../base/secret.ts'
import { JSON_TYPE, writeJson } from '../payment/formats/json.ts'
import { writeXml, XML_TYPE } from '../payment/formats/xml.ts'
import { number, text, type WireRecord } from '../payment/record.ts'
import { formatTimestamp, sign } from './signature.ts'
import { TOKEN_REFUSALS, type TokenRefusalName } from './token-refusals.ts'

export type TokenFormat = 'JSON' | 'XML'

export interface TokenAnswer {
  readonly record: WireRecord
  readonly httpStatus: number
  /** '0' for a token. */
  readonly code: string
  readonly field: string
}

/** Unknown fields of a number stay empty: a guess would be believed. */
export function madeAnswer(
  token: Secret,
  brand: string,
  address: string,
  requestId: bigint,
): TokenAnswer {
  return {
    record: [
      text('TOKEN_GUID', token.reveal()),
      text('CARD_BRAND_NAME', brand),
      text('CARD_TYPE', ''),
      text('CARD_BANK', ''),
      text('CARD_COUNTRY', ''),
      text('CARD_ACCOUNT_FUND_SOURCE', ''),
      text('CARD_CLASS', ''),
      text('TOKEN_IP', address),
      text('TOKEN_REQID', String(requestId)),
    ],
    httpStatus: 200,
    code: '0',
    field: '',
  }
}

/** `requestId` is null where not even that could be had. */
export function refusedAnswer(
  name: TokenRefusalName,
  field: string,
  requestId: bigint | null,
): TokenAnswer {
  const { code, message, httpStatus } = TOKEN_REFUSALS[name]
  return {
    record: [
      number('ERROR_CODE', code),
      text('ERROR_MESSAGE', field === '' ? message : `${message}: ${field}`),
      text('TOKEN_REQID', requestId === null ? '' : String(requestId)),
    ],
    httpStatus,
    code: String(code),
    field,
  }
}

export interface WrittenToken {
  readonly type: string
  /** As it goes over the wire, with a line end that is not signed. */
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Writes and signs an answer: over its timestamp, TOKEN_REQID and the body. All that can stand in
 * it is ASCII, so that it reads the same as UTF-8 and as ISO-8859-1. Without a key it is not
 * signed.
 */
export function writeToken(
  { record }: TokenAnswer,
  format: TokenFormat,
  requestId: bigint | null,
  key: Secret | null,
  now: Date,
): WrittenToken {
  const body = format === 'JSON' ? writeJson(record) : writeXml(record, 'response')
  const timestamp = formatTimestamp(now)
  const headers: Readonly<Record<string, string>> =
    key === null
      ? {}
      : {
          'x-timestamp': timestamp,
          'x-signature': sign(key, timestamp + String(requestId ?? '') + body),
        }
  return { type: format === 'JSON' ? JSON_TYPE : XML_TYPE, body: `${body}\n`, headers }
}
