import { signTokenRequest } from '@tollgate/client'
import { connect } from 'node:net'
import {
  TOKEN_REFUSALS,
  type TokenRefusalName,
} from '../../../packages/gateway/src/http/tokens/token-refusals.ts'
import { tokenRequest } from '../tokens.ts'
import { readFields } from './answer.ts'
import { GROUPS } from './groups.ts'
import type { Sweep } from './sweep.ts'

type Changes = Readonly<Record<string, string | null>>
type Elsewhere = keyof (typeof GROUPS)['tokens']['elsewhere']
type Swept = Exclude<TokenRefusalName, Elsewhere>

const LONG = '4'.repeat(70_000)

/** The request that each refusal of the token service answers. */
const REQUESTS: Readonly<Record<Swept, Changes | ((address: URL) => Promise<string>)>> = {
  method_not_allowed: async (address) => textOf(await fetch(address, { method: 'PUT', body: '' })),
  type_unsupported: async (address) => {
    const headers = { ...tokenRequest().headers, 'content-type': 'application/json' }
    return textOf(await fetch(address, { method: 'POST', headers, body: '{}' }))
  },
  body_too_large: { CARD_PAN: LONG },
  request_malformed: ({ hostname, pathname, port }) => bytes(hostname, port, pathname),
  value_undecodable: { REQUEST_RESPONSE_FORMAT: 'PIPES' },
  parameter_missing: { CARD_PAN: null },
  no_key: { SITE_ID: '9' },
  timestamp_invalid: { 'X-TIMESTAMP': '20200101000000' },
  signature_mismatch: { 'X-SIGNATURE': '0'.repeat(64) },
  version_unknown: { REQUEST_API_VERSION: '4.13' },
  not_numeric: { CARD_PAN: '4111x' },
  length_invalid: { CARD_PAN: '411111111111' },
  value_invalid: (address) => {
    const uniqueId = 'neither letter nor digit'
    const siteKey = 'sandbox-site-key-1001'
    const { signature, timestamp } = signTokenRequest({ siteId: 1001, siteKey, uniqueId })
    const changes = { 'X-TIMESTAMP': timestamp, 'X-SIGNATURE': signature, UNIQUE_ID: uniqueId }
    return send(address, changes)
  },
  unique_id_repeated: async (address) => {
    const { form, headers } = tokenRequest()
    await fetch(address, { method: 'POST', body: form, headers })
    return textOf(await fetch(address, { method: 'POST', body: form, headers }))
  },
}

async function textOf(response: Response): Promise<string> {
  return `${response.status} ${await response.text()}`
}

async function send(address: URL, changes: Changes): Promise<string> {
  const { form, headers } = tokenRequest(changes)
  return textOf(await fetch(address, { method: 'POST', body: form, headers }))
}

/** The answer to bytes that are no HTTP request. */
async function bytes(hostname: string, port: string, pathname: string): Promise<string> {
  const socket = connect(Number(port), hostname)
  socket.end(
    `POST ${pathname} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n\r\nabc`,
  )
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return `${/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]} ${text.slice(text.indexOf('\r\n\r\n') + 4)}`
}

/**
 * A request for each answer of the token service. Returns those that were answered otherwise, without
 * the known gaps.
 */
export async function askForTokens({ gateway, see }: Sweep): Promise<string[]> {
  const address = new URL('/payment/token_service.cfm', gateway.baseUrl)
  if ((await send(address, {})).includes('"TOKEN_GUID"')) see('tokens', 'made')
  const wrong = await Promise.all(
    Object.entries(REQUESTS).map(async ([name, request]) => {
      const text = await (typeof request === 'function' ? request(address) : send(address, request))
      const { code, httpStatus, message } = TOKEN_REFUSALS[name as Swept]
      const status = text.slice(0, 3)
      const { ERROR_CODE, ERROR_MESSAGE = '' } = readFields(text.slice(4).trim())
      const isRight =
        status === String(httpStatus) &&
        ERROR_CODE === String(code) &&
        ERROR_MESSAGE.startsWith(message)
      if (isRight) see('tokens', name)
      return isRight ? [] : [`${name}: ${text}`]
    }),
  )
  return wrong.flat()
}
