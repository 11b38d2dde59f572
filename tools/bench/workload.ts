import type { LoadJob, LoadResult } from './load.ts'
import { runLoad, type MeasuredGateway, type MeasuredServer } from './measured-servers.ts'
import { requestCost, type RequestCost } from './processor-time.ts'

const WARM_UP_MS = 2_000
/** Requests that are sent once were prepared, so the warm-up takes few of them. */
const SHORT_WARM_UP_MS = 300
const PAYMENT_PATH = '/payment/pmt_service.cfm'

/** The path of a request and the text that every good answer to it holds. */
export type Expected = Pick<LoadJob, 'path' | 'expected'>
export const APPROVED: Expected = {
  path: PAYMENT_PATH,
  expected: '"TRANS_STATUS_NAME":"APPROVED"',
}
/** An inquiry has the outcome as a cell of a row. */
export const LISTED: Expected = { path: PAYMENT_PATH, expected: '"APPROVED"' }
/** A sale under a reference that an approved one has. */
export const DUPLICATE: Expected = { path: PAYMENT_PATH, expected: '"REF_FIELD":"XTL_ORDER_ID"' }
export const ECHOED: Expected = { path: '/', expected: '"request_action":"CCAUTHORIZE"' }
export const ENROLLED: Expected = { path: PAYMENT_PATH, expected: '"P3DS_RESPONSE":"Y"' }

/** The sandbox's published merchant and cards. */
const SHOP = {
  req_username: 'demo@tollgate.test',
  req_password: 'Sandbox-4.14-demo',
  site_id: '1001',
  request_api_version: '4.14',
  request_response_format: 'JSON',
}
const CARDS = ['4111111111111111', '4907639999990022']
const AMOUNTS = ['12.50', '48.00', '7.25', '103.40']

/** A form of a new card's payment for each card and amount. */
function cardPayments(action: 'CCAUTHORIZE' | 'CCAUTHCAP'): string[] {
  return CARDS.flatMap((card) =>
    AMOUNTS.map((amount) =>
      form({
        request_action: action,
        pmt_numb: card,
        pmt_expiry: '122040',
        pmt_key: '123',
        li_value_1: amount,
      }),
    ),
  )
}

export const authorizations = (): string[] => cardPayments('CCAUTHORIZE')
export const sales = (): string[] => cardPayments('CCAUTHCAP')

/** Sales with an order reference each: the next `count` of all that were made here. */
export function referencedSales(count: number): string[] {
  return Array.from({ length: count }, () => {
    references += 1
    return saleUnder(`order-${references}`, {})
  })
}

function saleUnder(reference: string, more: Readonly<Record<string, string>>): string {
  return form({
    request_action: 'CCAUTHCAP',
    pmt_numb: CARDS[0] ?? '',
    pmt_expiry: '122040',
    pmt_key: '123',
    li_value_1: '9.90',
    xtl_order_id: reference,
    ...more,
  })
}

let references = 1_000_000_000

/** A capture and a refund of each order are below every amount above. */
const PART = '5.00'

export function capturesOf(orders: readonly string[]): string[] {
  return adjustmentsOf(orders, 'CCCAPTURE')
}

export function refundsOf(orders: readonly string[]): string[] {
  return adjustmentsOf(orders, 'CCCREDIT')
}

function adjustmentsOf(orders: readonly string[], action: 'CCCAPTURE' | 'CCCREDIT'): string[] {
  return orders.map((order) =>
    form({ request_action: action, request_ref_po_id: order, li_value_1: PART }),
  )
}

export function statusesOf(orders: readonly string[]): string[] {
  return orders.map((order) => form({ request_action: 'CCSTATUS', request_ref_po_id: order }))
}

export function statusesOfReferences(taken: readonly string[]): string[] {
  return taken.map((reference) =>
    form({ request_action: 'CCSTATUS', request_ref_po_id_xtl: reference }),
  )
}

/** Sales that are to be declined because their reference is taken. */
export function duplicatesOf(taken: readonly string[]): string[] {
  return taken.map((reference) => saleUnder(reference, { unique_xtl_order_id: '1' }))
}

export function savedCardSales(
  cards: readonly { readonly customer: string; readonly card: string }[],
): string[] {
  return cards.map(({ customer, card }) =>
    form({ request_action: 'CCAUTHCAP', cust_id: customer, pmt_id: card, li_value_1: '9.90' }),
  )
}

function form(fields: Readonly<Record<string, string>>): string {
  return new URLSearchParams({ ...SHOP, ...fields }).toString()
}

export interface Load {
  readonly what: Expected
  readonly bodies: readonly string[]
  /** How many requests are open at most. */
  readonly connections: number
  readonly seconds: number
  /** Without it, a request begins whenever another ends. */
  readonly ratePerSecond?: number
  /** Whether each body is sent once only. */
  readonly isEachSentOnce?: boolean
  readonly mayBeRefused?: boolean
  readonly collect?: string
}

/** Loads a server and measures it, after a warm-up. */
export function loadOn({ host, port }: MeasuredServer, load: Load): Promise<LoadResult> {
  return runLoad(jobFor(host, port, load), () => undefined)
}

/** One measured load of a gateway with what each request cost its processes. */
export interface GatewayLoad extends LoadResult {
  /** Null where the system does not say. */
  readonly cost: RequestCost | null
}

/** Loads a gateway, and measures it and what its processes compute meanwhile. */
export async function loadGateway(gateway: MeasuredGateway, load: Load): Promise<GatewayLoad> {
  const { host, port } = gateway
  let before = gateway.processorTime()
  const result = await runLoad(jobFor(host, port, load), () => (before = gateway.processorTime()))
  const after = gateway.processorTime()
  const cost = before === null || after === null ? null : requestCost(before, after, result)
  return { ...result, cost }
}

function jobFor(host: string, port: number, load: Load): LoadJob {
  const { what, bodies, connections, seconds } = load
  return {
    host,
    port,
    ...what,
    bodies,
    connections,
    warmUpMs: load.isEachSentOnce === true ? SHORT_WARM_UP_MS : WARM_UP_MS,
    measureMs: seconds * 1_000,
    ratePerSecond: load.ratePerSecond ?? null,
    isEachSentOnce: load.isEachSentOnce ?? false,
    mayBeRefused: load.mayBeRefused ?? false,
    collect: load.collect ?? null,
  }
}
