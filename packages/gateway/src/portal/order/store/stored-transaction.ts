import type { TransactionRow } from '../usecases/order-page.ts'

/** A transaction of an order as the database returns it. */
export interface StoredTransaction {
  readonly id: string
  readonly request_id: string
  readonly kind: TransactionRow['kind']
  readonly state: TransactionRow['state']
  readonly amount_minor: string
  readonly value_minor: string
  readonly voided_minor: string
  readonly order_line_id: string | null
  readonly batch_id: string | null
  readonly batch_closed: boolean
  readonly rejected: boolean
  readonly service_code: number
  readonly processor_code: string
  readonly processor_advice: string
  readonly industry_code: string
  readonly industry_advice: string
  readonly response_code: string
  readonly merchant_advice: string
  readonly avs_code: string
  readonly cvv_code: string
  readonly card_product: string
  readonly created_at: Date
  readonly concluded_at: Date | null
  readonly portalUser: string | null
  readonly username: string | null
  readonly membership: string | null
}
