/** Names the transactions of a batch in one payout, or in none yet. */
export interface SettlementGroup {
  /** `waiting`: no settlement file has them yet. */
  readonly state: 'settled' | 'rejected' | 'waiting'
  readonly payoutId: bigint | null
  /** ISO 4217 alphabetic. */
  readonly currency: string
}

/** The sums of a group. */
export interface BatchSettlement extends SettlementGroup {
  readonly transactions: number
  /** Minor units; refunds are below zero. */
  readonly grossMinor: bigint
  /** Less the fees; null of waiting ones. */
  readonly netMinor: bigint | null
}

/** A transaction of a group, in minor units of its currency. */
export interface SettledTransaction {
  readonly id: bigint
  readonly orderId: bigint
  readonly orderReference: string
  readonly action: 'sale' | 'capture' | 'refund'
  /** The settlement file and the line there; null of waiting ones. */
  readonly fileSeq: bigint | null
  readonly line: number | null
  readonly grossMinor: bigint
  readonly netMinor: bigint | null
}

export interface BatchSettlementReader {
  /** None for a batch that the merchant does not have. */
  read(merchantId: bigint, batchId: bigint): Promise<readonly BatchSettlement[]>
  /** The transactions of a group behind the id `after`, in the sequence of their ids. */
  transactions(
    merchantId: bigint,
    batchId: bigint,
    group: SettlementGroup,
    after: bigint,
    limit: number,
  ): Promise<readonly SettledTransaction[]>
}
