import type { FastifyInstance } from 'fastify'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { findCurrency } from '../../src/domain/currency.ts'
import type { Currency } from '../../src/domain/currency.ts'
import {
  BROWSER_FILES_FOLDER,
  readBrowserFiles,
} from '../../src/http/hosted-field/browser-files.ts'
import { hostedField, type HostedFieldDeps } from '../../src/http/hosted-field/hosted-field.ts'
import { createFairTurns } from '../../src/http/payment/fair-turns.ts'
import { pmtService, type PmtServiceDeps } from '../../src/http/payment/pmt-service.ts'
import { clockService, type ClockServiceDeps } from '../../src/http/sandbox/clock-service.ts'
import { healthService, type HealthDeps } from '../../src/http/servers/health.ts'
import { httpPlugin, type HttpPlugin } from '../../src/http/servers/http-plugin.ts'
import type { HttpServers, HttpServersOptions } from '../../src/http/servers/server.ts'
import { createHttpServers } from '../../src/http/servers/server.ts'
import { readThreeDsPages, THREE_DS_PAGES_FOLDER } from '../../src/http/three-ds/page-files.ts'
import { prepareService, type PrepareServiceDeps } from '../../src/http/three-ds/prepare-service.ts'
import { simulatedIssuerPages } from '../../src/http/three-ds/simulated-issuer-pages.ts'
import { threeDsPages, type ThreeDsPagesDeps } from '../../src/http/three-ds/three-ds-pages.ts'
import { tokenService, type TokenServiceDeps } from '../../src/http/tokens/token-service.ts'
import { PORTAL_COOKIE } from '../../src/portal/shell/portal-guard.ts'
import { portalService, type PortalDeps } from '../../src/portal/shell/portal-service.ts'
import type { RequestLogEntry } from '../../src/usecases/audit/request-log.ts'
import type { Site } from '../../src/usecases/merchants/merchant-directory.ts'
import type { NamedAdjustment } from '../../src/usecases/payments/adjust-named-order.ts'
import { NO_FOLLOW_UP } from '../../src/usecases/payments/follow-up.ts'
import type { PaymentCommand } from '../../src/usecases/payments/payment-command.ts'
import type { TransactionView } from '../../src/usecases/payments/transaction-view.ts'

export const PASSWORD = 'Right-password-1'
/** A test number that no issuer assigns. */
export const PAN = '4111111111111111'

export const SITE: Site = {
  id: 1001n,
  merchantId: 10n,
  mode: 'test',
  hasOwnClock: false,
  clock: systemClock,
  tolerance: 'strict',
  defaultCurrency: 'USD',
  cvvRequired: false,
  avsMode: 'I',
  cvvMode: 'I',
  avsMatchSet: 'Y',
  cvvMatchSet: 'M',
  catalogue: 'open',
  defaultProduct: '1',
  products: new Map(),
  cardTesting: null,
  threeDs: {
    required: false,
    whenUnavailable: 'authorize',
    paResRequired: false,
    challengePreference: null,
    returnHosts: [],
  },
  merchantAccounts: [],
}

export function currency(code: string): Currency {
  const found = findCurrency(code)
  if (found === null) throw new Error(`${code} is no currency.`)
  return found
}

export function aTransaction(changes: Partial<TransactionView> = {}): TransactionView {
  return {
    kind: 'sale',
    state: 'approved',
    transactionId: 800001n,
    orderId: 600001n,
    customerId: 9001n,
    customerReference: '',
    orderReference: 'web-17',
    batchId: 501n,
    processorName: 'Test Processor',
    merchantAccountId: 2001n,
    currency: currency('USD'),
    valueMinor: 1250n,
    conversion: null,
    card: {
      brand: 'Visa',
      type: 'VISA CLASSIC',
      class: 'CONSUMER',
      prepaid: false,
      bank: 'Bank of "Tests" & Sons',
      country: 'USA',
      networkToken: false,
      detail: 'CREDIT',
      balance: '',
      last4: '0002',
      paymentMethodId: 7001n,
      paymentMethodReference: '',
      updatedOn: '',
      updateDescription: '',
    },
    processorUdf1: '',
    processorUdf2: '',
    authCode: 'TEST40817',
    retrievalReference: '0C2A91B4',
    processorReference: 'TEST100200300',
    avsCode: 'M',
    cvvCode: 'M',
    networkTransactionId: '',
    codes: {
      service: 100,
      serviceAdvice: '',
      processor: '0',
      processorAdvice: '',
      industry: '0',
      industryAdvice: '',
    },
    followUp: NO_FOLLOW_UP,
    lines: [{ id: 650001n, count: 1, amountMinor: 1250n, product: '1001', membershipId: null }],
    threeDs: null,
    createdAt: new Date('2026-01-01T00:00:00Z'),
    ...changes,
  }
}

export interface FakeGateway {
  readonly app: FastifyInstance
  readonly servers: HttpServers
  readonly logged: RequestLogEntry[]
  /** The program's own log. */
  readonly programLog: () => string
  readonly payments: PaymentCommand[]
  readonly adjustments: NamedAdjustment[]
  /** Sends parameters besides the credentials; undefined removes one. */
  send(params: Record<string, string | undefined>): ReturnType<typeof answerTo>
  /** Sends a body unchanged. */
  post(body: string | Buffer, type?: string): ReturnType<typeof answerTo>
}

interface Reply {
  readonly status: number
  readonly body: string
  readonly headers: Record<string, unknown>
  /** The answer as JSON; throws when it is not JSON. */
  readonly json: () => Record<string, unknown>
}

/** The dependencies of all addresses, in one. */
type Deps = PmtServiceDeps &
  TokenServiceDeps &
  HealthDeps &
  HostedFieldDeps &
  PrepareServiceDeps &
  ThreeDsPagesDeps &
  ClockServiceDeps &
  PortalDeps

/** All addresses; `deps` may say that the gateway is not ready while its servers are. */
function pluginsOf(deps: Deps): HttpPlugin[] {
  const { simulatedIssuer } = deps
  return [
    httpPlugin(pmtService, deps),
    httpPlugin(tokenService, deps),
    httpPlugin(healthService, deps),
    httpPlugin(hostedField, deps),
    httpPlugin(prepareService, deps),
    httpPlugin(threeDsPages, deps),
    ...(simulatedIssuer === null
      ? []
      : [httpPlugin(simulatedIssuerPages, { ...deps, simulatedIssuer })]),
    httpPlugin(clockService, deps),
    httpPlugin(portalService, deps),
  ].map(
    (plugin): HttpPlugin =>
      (app, serving) =>
        plugin(app, { ...serving, isReady: () => serving.isReady() && deps.isReady() }),
  )
}

/** The payment address with only the parts of a test behind it. */
export function aGateway(
  deps: Partial<Deps> & { readonly site?: Partial<Site> } = {},
  options: Partial<HttpServersOptions> = {},
): FakeGateway {
  const logged: RequestLogEntry[] = []
  const payments: PaymentCommand[] = []
  const adjustments: NamedAdjustment[] = []
  const lines: string[] = []
  let lastRequestId = 700000n
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString())
      done()
    },
  })
  const site: Site = { ...SITE, ...deps.site }
  const servers = createHttpServers({
    http: { host: '127.0.0.1', port: 0 },
    https: null,
    apart: [],
    trustedProxies: [],
    servedHosts: [],
    // Without time, process and host: tests look for a few digits that must not be in it.
    logger: pino({ level: 'trace', base: null, timestamp: false }, sink),
    ...options,
    plugins: pluginsOf({
      turns: createFairTurns({ places: 64, waiting: 64 }),
      traces: null,
      authenticate: async (username, password, siteId) => {
        if (username !== 'shop' || password.reveal() !== PASSWORD) {
          return { kind: 'refused', refusal: 'credentials_wrong' }
        }
        const user = { id: 1n, merchantId: 10n, username, readsApi: false, requestRate: null }
        if (siteId === '0') return { kind: 'granted', user, site: null }
        if (siteId !== '1001') return { kind: 'refused', refusal: 'site_unknown' }
        return { kind: 'granted', user, site }
      },
      portal: EMPTY_PORTAL,
      takePayment: async (command) => {
        payments.push(command)
        return { kind: 'done', transaction: aTransaction() }
      },
      adjustOrder: async (command) => {
        adjustments.push(command)
        return { kind: 'done', transaction: aTransaction({ kind: command.kind }) }
      },
      changeMembership: async () => ({ kind: 'refused', refusal: 'membership_not_found' }),
      findMembership: async () => null,
      readOrder: async () => null,
      updateOrder: async () => null,
      nextRequestId: () => (lastRequestId += 1n),
      logRequest: (entry) => logged.push(entry),
      clock: { now: () => new Date('2026-01-01T00:00:00Z') },
      allowRequest: () => true,
      changeClock: () => Promise.reject(new Error('no clock is changed here')),
      readAgenda: () => Promise.reject(new Error('no agenda is read here')),
      machineClock: { now: () => new Date('2026-01-01T00:00:00Z') },
      findTokenSite: async () => null,
      createCardToken: async () => ({ kind: 'repeated' }),
      allowTokenRequest: () => true,
      isReady: () => true,
      isLeaving: () => false,
      health: () => Promise.resolve({ database: 'writable', vault: null, links: [] }),
      isUnavailable: () => false,
      whyUrl: null,
      browserFiles: readBrowserFiles(BROWSER_FILES_FOLDER),
      countPageViolation: () => undefined,
      prepareCollection: async () => ({
        kind: 'refused',
        refusal: 'three_ds_not_set_up',
        field: 'merchant_account',
      }),
      findSiteOfAccount: async () => null,
      publicUrl: 'https://pay.example',
      collectBrowser: {
        open: async () => null,
        keep: async () => undefined,
        methodDone: async () => undefined,
      },
      challengePages: {
        open: async () => null,
        status: async () => 'unknown',
        comeBack: async () => null,
      },
      writeThreeDsPage: readThreeDsPages(THREE_DS_PAGES_FOLDER),
      simulatedIssuer: null,
      ...deps,
    }),
  })
  const [app] = servers.apps
  if (app === undefined) throw new Error('No server was made.')
  const post = (body: string | Buffer, type = 'application/x-www-form-urlencoded') =>
    answerTo(app, body, type)
  return {
    app,
    servers,
    logged,
    programLog: () => lines.join(''),
    payments,
    adjustments,
    send: (params) => post(formOf(params)),
    post,
  }
}

async function answerTo(app: FastifyInstance, body: string | Buffer, type: string): Promise<Reply> {
  const response = await app.inject({
    method: 'POST',
    url: '/payment/pmt_service.cfm',
    headers: { 'content-type': type },
    payload: body,
  })
  return {
    status: response.statusCode,
    body: response.body,
    headers: response.headers,
    json: () => response.json<Record<string, unknown>>(),
  }
}

/** A valid request, in JSON, with changes; undefined removes a parameter. */
export function formOf(changes: Record<string, string | undefined>): string {
  const params: Record<string, string | undefined> = {
    REQ_USERNAME: 'shop',
    REQ_PASSWORD: PASSWORD,
    SITE_ID: '1001',
    REQUEST_API_VERSION: '4.14',
    REQUEST_RESPONSE_FORMAT: 'JSON',
    ...changes,
  }
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value !== undefined) form.set(name, value)
  return form.toString()
}

/** A portal with only the routes of sign-in, and no portal user. */
export const EMPTY_PORTAL: PortalDeps['portal'] = {
  files: null,
  onAnswer: () => undefined,
  sessions: {
    signIn: () => nobodyIsIn(),
    giveCode: () => nobodyIsIn(),
    checkPassword: () => nobodyIsIn(),
    find: async () => null,
    view: () => nobodyIsIn(),
    signOut: async () => undefined,
  },
  invitations: { look: () => nobodyIsIn(), take: () => nobodyIsIn() },
  routes: [],
  cookie: PORTAL_COOKIE,
  publicOrigin: 'https://pay.example',
  allowAddress: () => true,
  allowSession: () => true,
}

export const SALE = {
  REQUEST_ACTION: 'CCAUTHCAP',
  PMT_NUMB: PAN,
  PMT_EXPIRY: '122030',
  PMT_KEY: '123',
  LI_VALUE_1: '12.50',
}

function nobodyIsIn(): Promise<never> {
  return Promise.reject(new Error('Nobody is in the portal of this gateway.'))
}
