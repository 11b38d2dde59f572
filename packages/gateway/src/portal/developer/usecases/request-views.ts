import type { RequestOutcome } from '@tollgate/portal-contract/request-outcomes'

/** The filters of the request log; null: none. */
export interface RequestFilter {
  readonly siteId: bigint | null
  readonly action: string | null
  /**
   * `approved`, `declined` and the rest are states of the answer; `refused`: nothing became of it.
   */
  readonly outcome: RequestOutcome | null
  readonly apiCode: string | null
  readonly serviceCode: number | null
  readonly username: string | null
  readonly address: string | null
  readonly from: Date | null
  /** Before this moment. */
  readonly to: Date | null
  readonly hasOrder: boolean | null
  /** A request, an order or a transaction. */
  readonly id: bigint | null
}

/** The request after which a list goes on. */
export interface RequestPlace {
  readonly receivedAt: Date
  readonly id: bigint
}

/** A request in the list. */
export interface RequestRow {
  readonly id: bigint
  readonly receivedAt: Date
  readonly siteId: bigint | null
  readonly username: string
  readonly address: string
  readonly action: string
  readonly outcome: RequestOutcome
  readonly state: string
  readonly httpStatus: number
  readonly apiCode: string
  readonly serviceCode: number
  readonly refField: string
  readonly orderId: bigint | null
  readonly transactionId: bigint | null
  readonly tookMs: number
}

/** A request as it was kept: card data and secrets masked. */
export interface KeptRequest extends RequestRow {
  readonly parameters: Readonly<Record<string, unknown>>
  /** The sentence with which the portal refused the operation of its user; null: it did not. */
  readonly operationRefusal: string | null
}

export interface RequestPage {
  readonly rows: readonly RequestRow[]
  /** The start of the next page; null: nothing older is left. */
  readonly next: RequestPlace | null
  /** Set where the search stopped before the page was full: nothing later than this is left out. */
  readonly lookedBackTo: Date | null
}

/** The request log of one merchant. */
export interface RequestLogReader {
  list(
    merchantId: bigint,
    filter: RequestFilter,
    after: RequestPlace | null,
    limit: number,
  ): Promise<RequestPage>
  find(merchantId: bigint, id: bigint): Promise<KeptRequest | null>
}

/** A request with everything in words. */
export interface RequestDetail extends RequestRow {
  readonly path: string | null
  readonly refusal: {
    readonly name: string
    readonly text: string
    readonly meaning: string
  } | null
  readonly parameters: readonly {
    readonly name: string
    readonly value: string
    readonly meaning: string
  }[]
  /** Names that no action knows. */
  readonly unknown: readonly string[]
  readonly warnings: readonly string[]
  readonly codes: readonly {
    readonly tier: string
    readonly code: string
    readonly text: string
    readonly meaning: string
  }[]
  /** `BASE` stands for where the gateway is, which the browser knows. */
  readonly curl: string | null
}
