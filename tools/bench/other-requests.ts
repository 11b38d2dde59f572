import type { MeasuredGateway } from './measured-servers.ts'
import {
  APPROVED,
  authorizations,
  capturesOf,
  LISTED,
  loadGateway,
  refundsOf,
  sales,
  savedCardSales,
  statusesOf,
  type GatewayLoad,
  type Load,
} from './workload.ts'

/** One kind of request, measured. */
export interface RequestRow extends GatewayLoad {
  readonly name: string
}

export interface RequestTerms {
  readonly connections: number
  readonly seconds: number
  readonly onProgress: (sentence: string) => void
}

/** Everything of an answer that later requests refer to: customer, order and card. */
export const IDS = '"CUST_ID":(\\d+,.*?"PO_ID":\\d+,.*?"PMT_ID":\\d+)'
/** Shares of the mix, in twentieths. */
const MIX = { sale: 10, authorization: 3, savedCard: 3, status: 4 }

export interface OrderIds {
  readonly customer: string
  readonly order: string
  readonly card: string
}

export function idsOf(collected: readonly string[]): OrderIds[] {
  return collected.flatMap((text) => {
    const [, customer, order, card] = /^(\d+),.*"PO_ID":(\d+),.*"PMT_ID":(\d+)$/.exec(text) ?? []
    if (customer === undefined || order === undefined || card === undefined) return []
    return [{ customer, order, card }]
  })
}

/** Measures sales, captures, refunds, saved cards, inquiries and a mix, one after the other. */
export async function measureRequests(
  gateway: MeasuredGateway,
  { connections, seconds, onProgress }: RequestTerms,
): Promise<readonly RequestRow[]> {
  const rows: RequestRow[] = []
  const run = async (name: string, bodies: readonly string[], more: Partial<Load> = {}) => {
    onProgress(`Measuring ${name} at ${connections} connections ...`)
    const load = { what: APPROVED, bodies, connections, seconds, ...more }
    const result = await loadGateway(gateway, load)
    return { name, ...result }
  }
  const sold = await run('sales', sales(), { collect: IDS })
  rows.push(sold)
  const bought = idsOf(sold.collected)
  const toCapture = { collect: IDS, seconds: seconds * 2 }
  const held = idsOf((await run('orders to capture', authorizations(), toCapture)).collected)
  rows.push(await run('captures', capturesOf(held.map(({ order }) => order)), ONCE))
  rows.push(await run('refunds', refundsOf(bought.map(({ order }) => order)), ONCE))
  const saved = savedCardSales(bought.slice(0, 1_000))
  rows.push(await run('saved-card sales', saved))
  const statuses = statusesOf(bought.slice(0, 1_000).map(({ order }) => order))
  rows.push(await run('inquiries', statuses, { what: LISTED }))
  rows.push(await run('mix', mixOf(saved, statuses), { what: LISTED }))
  return rows
}

const ONCE = { isEachSentOnce: true }

/** Every twenty requests hold the shares of the mix. */
function mixOf(saved: readonly string[], statuses: readonly string[]): string[] {
  const kinds = [
    ...Array<readonly string[]>(MIX.sale).fill(sales()),
    ...Array<readonly string[]>(MIX.authorization).fill(authorizations()),
    ...Array<readonly string[]>(MIX.savedCard).fill(saved),
    ...Array<readonly string[]>(MIX.status).fill(statuses),
  ]
  return Array.from({ length: 20_000 }, (_, at) => {
    const bodies = kinds[(at * 7) % kinds.length] ?? []
    return bodies[at % bodies.length] ?? ''
  })
}

/** The parts of the mix, in percent. */
export const MIX_TEXT =
  `${MIX.sale * 5} % sales, ${MIX.authorization * 5} % authorizations, ` +
  `${MIX.savedCard * 5} % saved-card sales, ${MIX.status * 5} % inquiries`
