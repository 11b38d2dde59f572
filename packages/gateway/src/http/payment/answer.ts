import type { EventTable, WireRecord } from './record.ts'
import type { FaultyDelivery } from './shop-faults.ts'

/** The answer to one request, before it is written in a format. */
export interface WireAnswer {
  readonly body:
    | { readonly kind: 'record'; readonly record: WireRecord }
    | { readonly kind: 'events'; readonly events: readonly EventTable[] }
  readonly httpStatus: number
  /** Headers beside those of every answer. */
  readonly headers?: Readonly<Record<string, string>>
  /** Sentences for the request log about what the answer, by contract, does not mention. */
  readonly warnings?: readonly string[]
  /** How it reaches the shop in a test of the shop; absent: as usual. */
  readonly delivery?: FaultyDelivery
  /** It repeats the answer of an earlier request, which a fault may have kept from the shop. */
  readonly isRepeated?: true
  /** The request log's summary of the answer. */
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

/** The parts of a request that its answer repeats, as far as they could be read. */
export interface Echo {
  readonly requestId: bigint | null
  readonly action: string
  readonly customerReference: string
  readonly orderReference: string
  readonly merchantAccountId: string
}
