import { readFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { postForm, untilRow } from './payments.ts'
import { credentials, type RunningGateway } from './running-gateway.ts'

/** Public cards of the simulator; the amount to take with them is 10.00. */
export const CARD = {
  authenticated: '4000000000002701',
  notAuthenticated: '4000000000002925',
  attempted: '4000000000002719',
  unavailable: '4000000000002313',
  rejected: '4000000000002537',
  erro: '4000000000002446',
  noRange: '4000000000002560',
  challenged: '4000000000002503',
  mastercardAuthenticated: '5200000000002235',
  dataOnly: '4000000000002024',
  rreqNever: '4000000000009144',
  rreqLate: '4000000000009151',
} as const

export type Fields = Readonly<Record<string, string>>

/** Resolves when the gateway has the card ranges of the Directory Server. */
export async function untilCardRanges(gateway: RunningGateway): Promise<void> {
  const told = `select from three_ds_directories where refreshed_at is not null`
  await untilRow(gateway, 'the gateway has the card ranges of the Directory Server', told)
  await eventually('the log says that the card ranges were refreshed', () =>
    gateway.logged().includes('card ranges were refreshed'),
  )
}

/** Properties of the browser that 3-D Secure requires of a shop. */
export const BROWSER: Fields = {
  P3DS_BROWSER_LANGUAGE: 'en-US',
  P3DS_BROWSER_HEADER: 'text/html,*/*',
  USER_AGENT_XTL: 'Mozilla/5.0',
  P3DS_JAVA_ENABLED: 'FALSE',
  P3DS_JAVASCRIPT_ENABLED: 'TRUE',
  P3DS_BROWSER_COLOR_DEPTH: '24',
  P3DS_SCREEN_HEIGHT: '1080',
  P3DS_SCREEN_WIDTH: '1920',
  P3DS_BROWSER_TIME_ZONE: '60',
}

export function cardForm(number: string, more: Fields = {}): Fields {
  return {
    REQUEST_ACTION: 'CCAUTHORIZE',
    REQUEST_RESPONSE_FORMAT: 'JSON',
    PMT_NUMB: number,
    PMT_EXPIRY: '122040',
    PMT_KEY: '123',
    LI_VALUE_1: '10.00',
    REQUEST_CURRENCY: 'USD',
    MERCH_ACCT_ID: '2001',
    ...more,
  }
}

async function answered(
  gateway: RunningGateway,
  form: Readonly<Record<string, string | null>>,
): Promise<Fields> {
  const { text } = await postForm(gateway, form)
  const record = JSON.parse(text) as Record<string, string | number>
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]))
}

/** The answer to a payment request, every value as text. */
export function pay(
  gateway: RunningGateway,
  form: Readonly<Record<string, string | null>>,
): Promise<Fields> {
  return answered(gateway, form)
}

/** 3dsrequest.cfm for the card: the DDC_REFERENCEID. */
export async function prepare(
  gateway: RunningGateway,
  number: string,
  more: Fields = {},
): Promise<string> {
  const response = await fetch(new URL('/payment/3dsrequest.cfm', gateway.baseUrl), {
    method: 'POST',
    body: new URLSearchParams({
      ...credentials(),
      MERCH_ACCT_ID: '2001',
      REQUEST_RESPONSE_FORMAT: 'JSON',
      PMT_BIN: number.slice(0, 6),
      ...more,
    }),
  })
  const answer = (await response.json()) as Fields
  const reference = answer['DDC_REFERENCEID']
  if (reference === undefined) throw new Error(`3dsrequest.cfm answered ${JSON.stringify(answer)}.`)
  return reference
}

/** Prepares and enrols: the answer to the enrolment call. */
export async function enrol(
  gateway: RunningGateway,
  number: string,
  more: Fields = {},
): Promise<Fields> {
  return pay(gateway, enrolForm(number, await prepare(gateway, number), more))
}

export function enrolForm(number: string, reference: string, more: Fields = {}): Fields {
  return cardForm(number, {
    REQUEST_ENROLLMENT: '1',
    DDC_REFERENCEID: reference,
    P3DS_RETURN_URL: 'http://shop.test/back',
    ...BROWSER,
    ...more,
  })
}

/** The final call after the challenge of an answer that was PENDING. */
export function finalForm(number: string, pending: Fields, more: Fields = {}): Fields {
  return cardForm(number, {
    P3DS_PROCTRANSID: pending['P3DS_PROCTRANSID'] ?? '',
    REQUEST_PARES: '',
    ...more,
  })
}

export function finish(
  gateway: RunningGateway,
  number: string,
  pending: Fields,
  more: Fields = {},
): Promise<Fields> {
  return pay(gateway, finalForm(number, pending, more))
}

/** In one line: status, P3DS_RESPONSE, P3DS_ECI and the codes. */
export function said(answer: Fields): string {
  const { TRANS_STATUS_NAME: status, P3DS_RESPONSE: response, P3DS_ECI: eci } = answer
  const codes = `${answer['API_RESPONSE']}/${answer['SERVICE_RESPONSE']}`
  const field = answer['REF_FIELD']?.trim() ?? ''
  return [status || 'REFUSED', response || '-', eci || '-', codes, field].join(' ').trim()
}

interface StepUp {
  readonly acsUrl: string
  readonly creq: string
  readonly transactionId: string
}

/** The claims of the step-up JWT of a PENDING answer. */
export function stepUpOf(pending: Fields): StepUp {
  const [, claims = ''] = (pending['P3DS_PAYLOAD'] ?? '').split('.')
  const { Payload } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { Payload: Fields }
  return {
    acsUrl: Payload['ACSUrl'] ?? '',
    creq: Payload['Payload'] ?? '',
    transactionId: Payload['TransactionId'] ?? '',
  }
}

/**
 * Takes the customer's part at the issuer's page: types the code. The RReq has come when it
 * returns.
 */
export async function answerChallenge(
  gateway: RunningGateway,
  pending: Fields,
  code: string,
): Promise<string> {
  const { acsUrl, creq } = stepUpOf(pending)
  const ca = readFileSync(
    join(gateway.nodeSettings['DATA_DIR'] ?? '', 'bank', 'three-ds', 'ca.pem'),
  )
  const page = await postTo(acsUrl, { creq }, ca)
  const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1] ?? ''
  const hidden = Object.fromEntries(
    [...page.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
      /name="([^"]*)"/.exec(input)?.[1] ?? '',
      unescape(/value="([^"]*)"/.exec(input)?.[1] ?? ''),
    ]),
  )
  return postTo(new URL(unescape(action), acsUrl).href, { ...hidden, challengeDataEntry: code }, ca)
}

function unescape(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

function postTo(url: string, form: Fields, ca: Buffer): Promise<string> {
  const body = new URLSearchParams(form).toString()
  return new Promise((resolve, reject) => {
    const sent = httpsRequest(
      url,
      { method: 'POST', ca, headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => resolve(text))
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}
