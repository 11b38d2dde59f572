/** The payouts that the money lines of disputes are in. */
export interface MovementPayouts {
  /** Finds the payout of a line of the case; null while no file announces one. */
  read(
    merchantId: bigint,
    disputeId: bigint,
  ): Promise<(line: { readonly fileId: bigint; readonly line: number }) => bigint | null>
}
