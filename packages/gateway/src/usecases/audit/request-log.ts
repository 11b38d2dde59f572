/** One request as it is kept: card data and secrets masked before it gets here. */
export interface RequestLogEntry {
  readonly requestId: bigint
  readonly receivedAt: Date
  readonly merchantId: bigint | null
  /** The login was refused: the merchant is that of the user that was named. */
  readonly isUnproven?: boolean
  readonly siteId: bigint | null
  readonly username: string
  readonly address: string
  readonly action: string
  /** The parameters as a JSON object text, masked. */
  readonly parameters: string
  readonly httpStatus: number
  readonly apiCode: string
  readonly serviceCode: number
  readonly refField: string
  readonly state: string
  readonly orderId: bigint | null
  readonly transactionId: bigint | null
  readonly tookMs: number
}
