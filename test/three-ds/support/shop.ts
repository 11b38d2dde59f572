import { expiryIn } from '../../support/dates.ts'
import { credentials } from '../../support/running-gateway.ts'
import { carried, type Fields } from './scripted-browser.ts'

/** An answer of the gateway: every field as text. */
export type Answer = Readonly<Record<string, string>>

/** The three fields that an authentication needs, and the other fields of a browser. */
export const BROWSER: Fields = {
  P3DS_BROWSER_LANGUAGE: 'en-US',
  USER_AGENT_XTL: 'Mozilla/5.0 (X11; Linux x86_64)',
  P3DS_BROWSER_HEADER: 'text/html,application/xhtml+xml',
  P3DS_JAVA_ENABLED: 'FALSE',
  P3DS_JAVASCRIPT_ENABLED: 'TRUE',
  P3DS_BROWSER_COLOR_DEPTH: '24',
  P3DS_SCREEN_HEIGHT: '1080',
  P3DS_SCREEN_WIDTH: '1920',
  P3DS_BROWSER_TIME_ZONE: '60',
  XTL_IP: '203.0.113.7',
}

export const RETURN_URL = 'https://shop.example/back'
export const EXPIRY = expiryIn(4)

/** Parameters of a request; null takes one out. */
export type Changes = Readonly<Record<string, string | null>>

/** The part of a shop's server in the five steps. */
export interface ThreeDsShop {
  /** Step 1. */
  prepare(pan: string, more?: Changes): Promise<Answer>
  /** Any payment request. */
  pay(fields: Changes): Promise<Answer>
  /** Step 3, after a step 1 of its own where no DDC_REFERENCEID is given. */
  enrol(pan: string, more?: Changes): Promise<Enrolled>
  /** Step 5: the same fields, without those that only an enrolment has. */
  finish(enrolled: Enrolled, more?: Changes): Promise<Answer>
}

export interface Enrolled {
  readonly sent: Changes
  readonly answer: Answer
}

export interface ShopOptions {
  readonly baseUrl: string
  readonly site?: 1001 | 1002 | 1003
}

export function createThreeDsShop({ baseUrl, site = 1001 }: ShopOptions): ThreeDsShop {
  const account = String(site + 1000)
  const post = async (path: string, fields: Changes): Promise<Answer> => {
    const all = { ...credentials(site), REQUEST_RESPONSE_FORMAT: 'JSON', ...fields }
    const body = new URLSearchParams()
    for (const [name, value] of Object.entries(all)) if (value !== null) body.set(name, value)
    const answer = await fetch(new URL(path, baseUrl), { method: 'POST', body })
    const text = await answer.text()
    if (answer.status !== 200)
      throw new Error(`${path} was answered with ${answer.status}: ${text}`)
    const record = JSON.parse(text) as Record<string, unknown>
    return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]))
  }
  const pay = (fields: Changes) => post('/payment/pmt_service.cfm', fields)
  const prepare = (pan: string, more: Changes = {}) =>
    post('/payment/3dsrequest.cfm', { MERCH_ACCT_ID: account, PMT_BIN: pan.slice(0, 6), ...more })
  return {
    pay,
    prepare,
    async enrol(pan, more = {}) {
      const given = more['DDC_REFERENCEID']
      const reference =
        given === undefined ? ((await prepare(pan))['DDC_REFERENCEID'] ?? null) : given
      const sent = {
        REQUEST_ACTION: 'CCAUTHORIZE',
        PMT_NUMB: pan,
        PMT_EXPIRY: EXPIRY,
        PMT_KEY: pan.startsWith('3') ? '1234' : '123',
        REQUEST_CURRENCY: 'USD',
        LI_VALUE_1: '10.00',
        REQUEST_ENROLLMENT: '1',
        DDC_REFERENCEID: reference,
        P3DS_RETURN_URL: RETURN_URL,
        ...BROWSER,
        ...more,
      }
      return { sent, answer: await pay(sent) }
    },
    finish({ sent, answer }, more = {}) {
      const {
        REQUEST_ENROLLMENT: _asked,
        DDC_REFERENCEID: _ddc,
        P3DS_RETURN_URL: _url,
        ...kept
      } = sent
      const id = answer['P3DS_PROCTRANSID'] ?? ''
      const final = { ...kept, P3DS_PROCTRANSID: id, REQUEST_PARES: '', ...more }
      return pay(final)
    },
  }
}

/** The content of a pending payment's payload: the issuer's page, and its first message. */
export function readPayload(answer: Answer): {
  readonly acsUrl: string
  readonly creq: string
  readonly transactionId: string
  readonly claims: Readonly<Record<string, unknown>>
} {
  const claims = carried((answer['P3DS_PAYLOAD'] ?? '').split('.')[1] ?? '')
  const { ACSUrl, Payload, TransactionId } = Object(claims['Payload']) as Record<string, string>
  return { acsUrl: ACSUrl ?? '', creq: Payload ?? '', transactionId: TransactionId ?? '', claims }
}
