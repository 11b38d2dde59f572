/** Transactions of a batch in one payout, or in none yet. */
export interface BatchSettlement {
  /** `waiting`: no settlement file has them yet. */
  readonly state: 'settled' | 'rejected' | 'waiting'
  readonly payoutId: bigint | null
  readonly transactions: number
  /** ISO 4217 alphabetic. */
  readonly currency: string
  /** Minor units; refunds are below zero. */
  readonly grossMinor: bigint
  /** Less the fees; null of waiting ones. */
  readonly netMinor: bigint | null
}

export interface BatchSettlementReader {
  /** None for a batch that the merchant does not have. */
  read(merchantId: bigint, batchId: bigint): Promise<readonly BatchSettlement[]>
}
