import { connect } from 'node:net'
import { credentials } from '../running-gateway.ts'
import { readFields, type Answer } from './answer.ts'
import type { Recipe, Sweep } from './sweep.ts'

const ADDRESS = '/payment/pmt_service.cfm'

/** An answer to a request that no form of the client library would send. */
async function sendRaw(
  { gateway, hear }: Sweep,
  init: RequestInit,
  path = ADDRESS,
): Promise<Answer> {
  const response = await fetch(new URL(path, gateway.baseUrl), init)
  const { headers, status } = response
  const answer = { status, headers, fields: readFields(await response.text()) }
  hear(answer)
  return answer
}

function formOf(more: string): RequestInit {
  const login = new URLSearchParams({ ...credentials(), REQUEST_RESPONSE_FORMAT: 'JSON' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', headers, body: `${login.toString()}&REQUEST_ACTION=TESTGW&${more}` }
}

/** The answer to bytes that are no HTTP request. */
async function sendBytes({ gateway, hear }: Sweep, bytes: string): Promise<Answer> {
  const { hostname, port } = new URL(gateway.baseUrl)
  const socket = connect(Number(port), hostname)
  socket.end(bytes)
  const chunks: Buffer[] = []
  for await (const chunk of socket) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
  const answer = { status, headers: new Headers(), fields: readFields(text) }
  hear(answer)
  return answer
}

const LONG_BODY_BYTES = 70_000

/** Refusals of a form, a login or a word, before a payment is looked at. */
export const FORM_RECIPES = {
  credentials_wrong: ({ pay }) => pay({ REQ_PASSWORD: 'Sandbox-4.14-wrong' }),
  user_inactive: ({ pay }) =>
    pay({ REQ_USERNAME: 'disabled@tollgate.test', REQ_PASSWORD: 'Sandbox-4.14-situations' }),
  site_unknown: ({ pay }) => pay({ SITE_ID: '1002' }),
  action_unknown: ({ pay }) => pay({ REQUEST_ACTION: 'CCNOTHING' }),
  parameter_missing: ({ pay }) => pay({ LI_VALUE_1: null }),
  value_length_invalid: ({ pay }) => pay({ PMT_NUMB: '41111' }),
  value_not_numeric: ({ pay }) => pay({ LI_VALUE_1: 'twelve' }),
  value_invalid: ({ pay }) => pay({ PMT_EXPIRY: '132040' }),
  format_unknown: ({ pay }) => pay({ REQUEST_RESPONSE_FORMAT: 'CSV' }),
  version_unknown: ({ pay }) => pay({ REQUEST_API_VERSION: '4.8' }),
  body_too_large: (sweep) => sendRaw(sweep, formOf(`BILL_ADDR=${'x'.repeat(LONG_BODY_BYTES)}`)),
  parameter_repeated: (sweep) => sendRaw(sweep, formOf('BILL_ADDR=a&BILL_ADDR=b')),
  value_undecodable: (sweep) => sendRaw(sweep, formOf('BILL_ADDR=%zz')),
  method_not_allowed: (sweep) => sendRaw(sweep, {}),
  type_unsupported: (sweep) =>
    sendRaw(sweep, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }),
  request_malformed: (sweep) =>
    sendBytes(
      sweep,
      `POST ${ADDRESS} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 10\r\n\r\nabc`,
    ),
  currency_unknown: ({ pay }) => pay({ REQUEST_CURRENCY: 'QQQ' }),
  product_type_unknown: ({ pay }) =>
    pay({ PROD_NAME: 'Gold', PROD_TYPE: '3', PROD_REBILL_METRIC: 'M', PROD_REBILL_PERIOD: '1' }),
  system_error: ({ pay }) => pay({ SANDBOX_TEST: 'shop=api-120' }),
  rate_exceeded: ({ pay }) => pay({ SANDBOX_TEST: 'shop=http-429' }),
  unavailable: ({ pay }) => pay({ SANDBOX_TEST: 'shop=http-503' }),
  rapid_resolution_off: ({ send }) => send({ REQUEST_ACTION: 'CCRDR' }),
  merchant_account_unknown: (sweep) =>
    sendRaw(
      sweep,
      {
        method: 'POST',
        body: new URLSearchParams({ ...credentials(), MERCH_ACCT_ID: '1', PMT_BIN: '400000' }),
      },
      '/payment/3dsrequest.cfm',
    ),
} as const satisfies Readonly<Record<string, Recipe>>
