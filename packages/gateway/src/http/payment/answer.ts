import { actionOf } from './actions.ts'
import { withoutOwnNumber } from './pasted-numbers.ts'
import type { EventTable, WireRecord } from './record.ts'

/** What goes back for one request, before it is written in a format. */
export interface Answer {
  readonly body:
    | { readonly kind: 'record'; readonly record: WireRecord }
    | { readonly kind: 'events'; readonly events: readonly EventTable[] }
  readonly httpStatus: number
  /** What the request log keeps of it. */
  readonly summary: AnswerSummary
}

export interface AnswerSummary {
  readonly apiCode: string
  readonly serviceCode: number
  readonly refField: string
  readonly state: string
  readonly orderId: bigint | null
  readonly transactionId: bigint | null
}

/** An answer, and who is known to have asked for it. */
export interface Response {
  readonly answer: Answer
  /** Null as long as nobody proved who they are. */
  readonly merchantId: bigint | null
  readonly siteId: bigint | null
}

/** The parts of a request that its answer repeats, as far as they could be read. */
export interface Echo {
  readonly requestId: bigint | null
  readonly action: string
  readonly customerReference: string
  readonly orderReference: string
  readonly merchantAccountId: string
}

/** Values are repeated up to here: a longer one is refused anyway. */
const ECHOED = 255

export function echoOf(params: ReadonlyMap<string, string>, requestId: bigint | null): Echo {
  const repeat = (value: string) =>
    withoutOwnNumber(params, value.slice(0, 2 * ECHOED)).slice(0, ECHOED)
  const read = (name: string) => repeat(params.get(name) ?? '')
  return {
    requestId,
    action: repeat(actionOf(params)).slice(0, 64),
    customerReference: read('XTL_CUST_ID'),
    orderReference: read('XTL_ORDER_ID'),
    merchantAccountId: read('MERCH_ACCT_ID'),
  }
}
