import type { BrandFigures, DetailEntry } from '../../domain/books/batch-agreement.ts'
import type { Currency } from '../../domain/currency.ts'
import type { MerchantAccount } from '../merchants/merchant-directory.ts'
import type { MessageIdentity } from '../payments/payment-store.ts'

/** The totals of one currency of a batch, put to the bank until it answers. */
export interface TotalsRequest {
  readonly message: MessageIdentity
  /** Sent before, so the bank may know it. */
  readonly repeat: boolean
  readonly account: MerchantAccount
  readonly batchId: bigint
  readonly currency: Currency
  readonly closedAt: Date
  readonly brands: readonly BrandFigures[]
}

export type TotalsOutcome =
  /** The bank has closed its batch; the figures are its own. */
  | {
      readonly kind: 'answered'
      readonly inBalance: boolean
      readonly responseCode: string
      readonly brands: readonly BrandFigures[]
    }
  | { readonly kind: 'refused'; readonly responseCode: string }
  | { readonly kind: 'not_sent' | 'unknown'; readonly reason: string }

/** A page of the bank's captures and refunds in a closed batch. */
export interface DetailRequest {
  readonly message: MessageIdentity
  readonly account: MerchantAccount
  readonly batchId: bigint
  readonly currency: Currency
  /** How many rows come before the page. */
  readonly from: number
}

export type DetailOutcome =
  | {
      readonly kind: 'answered'
      readonly rows: readonly DetailEntry[]
      /** In all pages together. */
      readonly total: number
    }
  | { readonly kind: 'refused'; readonly responseCode: string }
  | { readonly kind: 'not_sent' | 'unknown'; readonly reason: string }

/** The link to an acquirer, for batches. Neither call ever throws for what the network does. */
export interface BatchProcessor {
  agreeTotals(request: TotalsRequest, timeoutMs: number): Promise<TotalsOutcome>
  readDetail(request: DetailRequest, timeoutMs: number): Promise<DetailOutcome>
}
