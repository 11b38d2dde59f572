/**
 * The message type (MTI) of a payment or an order, as its later messages name it (DE 90): 0200 for
 * an unreferenced credit, 0100 for everything else. `kind` is that of the transaction or of the
 * order.
 */
export function originalMti(kind: string): string {
  return kind === 'refund' || kind === 'unreferenced_credit' ? '0200' : '0100'
}
