import type { LoadJob, LoadResult } from './load.ts'
import { runLoad, type MeasuredGateway, type MeasuredServer } from './measured-servers.ts'
import { requestCost, type RequestCost } from './processor-time.ts'

const WARM_UP_MS = 2_000
const PAYMENT_PATH = '/payment/pmt_service.cfm'

/** The path of a request and the text that every good answer to it holds. */
export type Expected = Pick<LoadJob, 'path' | 'expected'>
export const APPROVED: Expected = {
  path: PAYMENT_PATH,
  expected: '"TRANS_STATUS_NAME":"APPROVED"',
}
export const ECHOED: Expected = { path: '/', expected: '"request_action":"CCAUTHORIZE"' }
export const ENROLLED: Expected = { path: PAYMENT_PATH, expected: '"P3DS_RESPONSE":"Y"' }

/** Forms of authorizations by the sandbox's published merchant and cards. */
export function authorizations(): string[] {
  const cards = ['4111111111111111', '4907639999990022']
  const amounts = ['12.50', '48.00', '7.25', '103.40']
  return cards.flatMap((card) =>
    amounts.map((amount) =>
      new URLSearchParams({
        request_action: 'CCAUTHORIZE',
        req_username: 'demo@tollgate.test',
        req_password: 'Sandbox-4.14-demo',
        site_id: '1001',
        request_api_version: '4.14',
        request_response_format: 'JSON',
        pmt_numb: card,
        pmt_expiry: '122040',
        pmt_key: '123',
        li_value_1: amount,
      }).toString(),
    ),
  )
}

export interface Load {
  readonly what: Expected
  readonly bodies: readonly string[]
  /** How many requests are open at any time. */
  readonly connections: number
  readonly seconds: number
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

function jobFor(host: string, port: number, { what, bodies, connections, seconds }: Load): LoadJob {
  const times = { warmUpMs: WARM_UP_MS, measureMs: seconds * 1_000 }
  return { host, port, ...what, bodies, connections, ...times }
}
