/**
 * The message type (MTI) that later messages name in DE 90. It is 0200 for an unreferenced credit,
 * 0100 for all else. The `kind` is that of the transaction or of the order.
 */
export function originalMti(kind: string): string {
  return kind === 'refund' || kind === 'unreferenced_credit' ? '0200' : '0100'
}
