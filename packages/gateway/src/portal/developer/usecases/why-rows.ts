import type { TestBankTables } from '../../../domain/banks/test-bank.ts'
import type { WhySite, WhyStep, WhyThreeDs } from '../domain/why-facts.ts'
import type { RequestRow } from './request-views.ts'

/** A transaction with what is needed to say why it ended as it did. Amounts in minor units. */
export interface WhyTransactionRow {
  readonly id: bigint
  readonly orderId: bigint
  readonly requestId: bigint
  readonly siteId: bigint
  readonly kind: 'authorization' | 'sale' | 'capture' | 'refund' | 'void' | 'capture_void'
  readonly state: 'running' | 'pending' | 'approved' | 'declined' | 'failed'
  readonly orderKind: 'payment' | 'unreferenced_credit'
  readonly amountMinor: bigint
  readonly valueMinor: bigint
  readonly currency: string
  readonly serviceCode: number
  readonly processorCode: string
  readonly responseCode: string
  readonly merchantAdvice: string
  readonly avsCode: string
  readonly cvvCode: string
  readonly brand: string
  readonly last4: string
  readonly reference: string
  readonly processorName: string
  /** It went to the bundled bank. */
  readonly isTestBank: boolean
  readonly createdAt: Date
}

export type WhyThreeDsRow = Omit<WhyThreeDs, 'stateMeaning' | 'statusMeaning'>

/** The gateway's operations because of the ending. */
export interface Followed {
  readonly kind: 'capture' | 'refund' | 'reversal'
  readonly state: 'queued' | 'acknowledged'
  readonly amountMinor: bigint
  readonly reason: string
  readonly at: Date
}

/** A change of the site's settings after the request came. */
export interface LaterChange {
  readonly number: bigint
  readonly at: Date
  readonly actor: string
  readonly operation: string
}

/** The queries for one explanation; each names the merchant. */
export interface WhyReader {
  findTransaction(merchantId: bigint, id: bigint): Promise<WhyTransactionRow | null>
  findSite(merchantId: bigint, id: bigint): Promise<WhySite | null>
  findThreeDs(merchantId: bigint, transactionId: bigint): Promise<WhyThreeDsRow | null>
  /** `around`: when the payment was asked for, by the machine's clock. */
  findCardTesting(
    merchantId: bigint,
    siteId: bigint,
    transactionId: bigint,
    around: Date,
  ): Promise<{ readonly rule: string; readonly refused: boolean } | null>
  followed(merchantId: bigint, transactionId: bigint): Promise<readonly Followed[]>
  changesSince(merchantId: bigint, siteId: bigint, since: Date): Promise<readonly LaterChange[]>
}

/** Null where there is no bundled bank, or it cannot be asked. */
export type ReadTestValues = () => Promise<TestBankTables | null>

/** Why an answer was what it was. */
export interface WhyAnswer {
  readonly request: Pick<RequestRow, 'id' | 'receivedAt' | 'action' | 'outcome'> | null
  readonly transaction: Pick<
    WhyTransactionRow,
    'id' | 'orderId' | 'kind' | 'state' | 'serviceCode' | 'amountMinor' | 'currency' | 'createdAt'
  > | null
  readonly site: Pick<WhySite, 'id' | 'mode'> | null
  readonly steps: readonly WhyStep[]
  readonly followed: readonly (Followed & { readonly currency: string })[]
  readonly changes: readonly LaterChange[]
}
