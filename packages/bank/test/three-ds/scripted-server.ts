import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import type { RequestOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { eventually } from '../../../../test/support/eventually.ts'
import { TEST_BANK } from '../../src/bank-role.ts'
import type { Schedule } from '../../src/three-ds/schedule.ts'
import { openThreeDs } from '../../src/three-ds/three-ds.ts'
import type { ThreeDs, ThreeDsOptions } from '../../src/three-ds/three-ds.ts'
import { aFolder, closeWith } from '../support/test-bank.ts'

export type Fields = Record<string, unknown>

/**
 * The factor by which time is faster in tests that wait for it. A challenge must start within 150
 * ms at this speed.
 */
export const FAST = 200

export const ANY_PORT = { port: 0, mayMove: false } as const

export interface Simulator {
  readonly threeDs: ThreeDs
  readonly folder: string
  /** A control request. */
  control(method: string, path: string, body?: unknown): Promise<Fields>
  /** Everything in the journal. */
  log(): Promise<readonly JournalLine[]>
}

export interface JournalLine {
  readonly direction: string
  readonly leg: string
  readonly type: string | null
  readonly message: Fields | null
  readonly note?: string
}

/** The simulator alone, without the bank's books. */
export async function startSimulator(
  t: TestContext,
  options: Partial<ThreeDsOptions> & { readonly schedule?: Schedule } = {},
): Promise<Simulator> {
  const folder = options.bankFolder ?? (await aFolder(t))
  const threeDs = await openThreeDs({
    host: '127.0.0.1',
    bankFolder: folder,
    role: TEST_BANK,
    now: Date.now,
    ds: ANY_PORT,
    acs: ANY_PORT,
    acsBack: ANY_PORT,
    dsHost: 'localhost',
    acsHost: 'localhost',
    timeScale: FAST,
    ...options,
  })
  closeWith(folder, () => threeDs.close())
  const control = async (method: string, path: string, body?: unknown) =>
    (await threeDs.control(method, path, async () => body)).body as Fields
  const log = async () => {
    const { entries } = await control('GET', '/three-ds/log')
    return entries as readonly JournalLine[]
  }
  return { threeDs, folder, control, log }
}

/** The answer to one HTTPS request. */
export interface HttpsAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export async function send(
  url: string,
  options: RequestOptions,
  body: string,
): Promise<HttpsAnswer> {
  const outgoing = request(url, { method: 'POST', agent: false, ...options })
  outgoing.end(body)
  const [incoming] = await once(outgoing, 'response')
  let text = ''
  for await (const part of incoming) text += String(part)
  return { status: incoming.statusCode, headers: incoming.headers, text }
}

/** The files of one holder of a certificate. */
export async function credentialOf(folder: string, holder: string) {
  const path = (name: string) => join(folder, 'three-ds', name)
  const [ca, cert, key] = await Promise.all([
    readFile(path('ca.pem'), 'utf8'),
    readFile(path(`${holder}.pem`), 'utf8'),
    readFile(path(`${holder}.key`), 'utf8'),
  ])
  return { ca, cert, key }
}

/** The simulator's folder and addresses, which a 3DS Server needs. */
export interface SimulatorPlace {
  readonly folder: string
  readonly threeDs: Pick<ThreeDs, 'addresses'>
}

/** A 3DS Server that does what the test says: it asks, and takes results over mTLS. */
export interface ScriptedServer {
  readonly url: string
  readonly results: Fields[]
  /** Posts a message to the Directory Server. */
  ask(message: Fields | string): Promise<Fields>
  raw(body: string, options?: RequestOptions): Promise<HttpsAnswer>
  /** Resolves with the result number `count`, once it is there. */
  result(count: number): Promise<Fields>
  /** How the next results are answered; an RRes otherwise. */
  answerWith(answer: ((rreq: Fields) => Fields | null) | null): void
  /** An AReq for a card whose results come here. */
  areq(pan: string, changes?: Fields): Fields
}

export async function startScriptedServer({
  folder,
  threeDs,
}: SimulatorPlace): Promise<ScriptedServer> {
  const credential = await credentialOf(folder, 'gateway-client')
  const results: Fields[] = []
  let answer: ((rreq: Fields) => Fields | null) | null = null
  const server = createServer(
    { ...credential, requestCert: true, rejectUnauthorized: true },
    async (incoming, response) => {
      let text = ''
      for await (const part of incoming) text += String(part)
      const rreq = JSON.parse(text) as Fields
      const reply = answer === null ? rresTo(rreq) : answer(rreq)
      results.push(rreq)
      if (reply !== null) {
        response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' })
        response.end(JSON.stringify(reply))
      }
    },
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closeWith(folder, async () => {
    server.close()
    server.closeAllConnections()
  })
  const url = `https://gateway.localhost:${(server.address() as AddressInfo).port}/3ds/results`
  const raw = (body: string, options: RequestOptions = {}) =>
    send(
      threeDs.addresses.dsUrl,
      { ...credential, headers: { 'Content-Type': 'application/json' }, ...options },
      body,
    )
  return {
    url,
    results,
    raw,
    async ask(message) {
      const body = typeof message === 'string' ? message : JSON.stringify(message)
      const { headers, status, text } = await raw(body)
      assert.equal(status, 200)
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      return JSON.parse(text) as Fields
    },
    async result(count) {
      return eventually(`result ${count} comes`, () => results[count - 1])
    },
    answerWith: (given) => void (answer = given),
    areq: (pan, changes = {}) => anAReq({ acctNumber: pan, threeDSServerURL: url, ...changes }),
  }
}

export function rresTo(rreq: Fields): Fields {
  const { acsTransID, dsTransID, messageVersion, threeDSServerTransID } = rreq
  const ids = { threeDSServerTransID, dsTransID, acsTransID }
  return { messageType: 'RRes', messageVersion, ...ids, resultsStatus: '01' }
}

/** A payment of 10.00 USD in a browser. An undefined change takes an element away. */
export function anAReq(changes: Fields = {}): Fields {
  const fields: Fields = {
    messageType: 'AReq',
    messageVersion: '2.2.0',
    messageCategory: '01',
    deviceChannel: '02',
    threeDSServerTransID: randomUUID(),
    threeDSServerRefNumber: 'SIM_3DSS_0001',
    threeDSServerOperatorID: 'GW-OP-1',
    threeDSServerURL: 'https://gateway.localhost:9444/3ds/results',
    threeDSRequestorID: '100000148',
    threeDSRequestorName: 'Sample Shop',
    threeDSRequestorURL: 'https://merchant.localhost:9441',
    threeDSRequestorAuthenticationInd: '01',
    threeDSCompInd: 'Y',
    acctNumber: '4000000000002701',
    cardExpiryDate: '2812',
    acquirerBIN: '438309',
    acquirerMerchantID: '000148000148000',
    mcc: '5411',
    merchantCountryCode: '840',
    merchantName: 'Sample Shop',
    purchaseAmount: '1000',
    purchaseCurrency: '840',
    purchaseExponent: '2',
    purchaseDate: '20261121013000',
    browserAcceptHeader: 'text/html,application/xhtml+xml',
    browserUserAgent: 'Mozilla/5.0',
    browserLanguage: 'en-US',
    browserJavascriptEnabled: true,
    browserJavaEnabled: false,
    browserColorDepth: '24',
    browserScreenHeight: '1080',
    browserScreenWidth: '1920',
    browserTZ: '480',
    browserIP: '203.0.113.7',
    notificationURL: 'https://gateway.localhost:9442/V2/Cruise/Term',
    billAddrCountry: '840',
    email: 'a@example.com',
    cardholderName: 'Mister Tester',
    ...changes,
  }
  // 2.1.0 has no such element.
  if (fields['messageVersion'] === '2.1.0' && !('browserJavascriptEnabled' in changes)) {
    delete fields['browserJavascriptEnabled']
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

export function aCReq(ares: Fields, changes: Fields = {}): Fields {
  const { acsTransID, messageVersion, threeDSServerTransID } = ares
  return {
    messageType: 'CReq',
    messageVersion,
    threeDSServerTransID,
    acsTransID,
    challengeWindowSize: '03',
    ...changes,
  }
}

export const base64Url = (value: unknown) =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

/** A browser without JavaScript: forms are read from the page and posted by hand. */
export async function postForm(
  { folder }: Pick<Simulator, 'folder'>,
  url: string,
  fields: Readonly<Record<string, string>>,
): Promise<HttpsAnswer> {
  const { ca } = await credentialOf(folder, 'acs')
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  return await send(url, { ca, headers }, new URLSearchParams(fields).toString())
}

const plain = (text: string) =>
  text.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

/** The target of a page's form, and its hidden fields. */
export function formOf(page: string, base: string) {
  const action = /<form method="post" action="([^"]*)"/.exec(page)?.[1]
  assert.ok(action !== undefined, `no form: ${page}`)
  const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, plain(value)]))
  return { action: new URL(plain(action), base).href, fields: fields as Record<string, string> }
}

/** The CRes or Erro on the page that gives the browser back. */
export function carriedBy(page: string): Fields {
  const cres = formOf(page, 'https://x').fields['cres'] ?? ''
  return JSON.parse(Buffer.from(cres, 'base64url').toString('utf8')) as Fields
}

/** A started challenge: its ARes and its page. */
export async function begin(
  simulator: Pick<Simulator, 'folder'>,
  server: ScriptedServer,
  pan: string,
  changes: Fields = {},
): Promise<{ readonly ares: Fields; readonly first: HttpsAnswer; readonly acsUrl: string }> {
  const ares = await server.ask(server.areq(pan, changes))
  assert.equal(ares['transStatus'], 'C', JSON.stringify(ares))
  const acsUrl = String(ares['acsURL'])
  const first = await postForm(simulator, acsUrl, {
    creq: base64Url(aCReq(ares)),
    threeDSSessionData: 'c2Vzc2lvbg',
  })
  return { ares, first, acsUrl }
}

/** Presses a button of the challenge page. */
export async function press(
  simulator: Pick<Simulator, 'folder'>,
  page: HttpsAnswer,
  acsUrl: string,
  button: 'submit' | 'resend' | 'cancel',
  code = '',
): Promise<HttpsAnswer> {
  const { action, fields } = formOf(page.text, acsUrl)
  return await postForm(simulator, action, { ...fields, challengeDataEntry: code, do: button })
}
