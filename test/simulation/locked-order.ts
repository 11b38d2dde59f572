import type { LockedOrder } from '../../packages/gateway/src/usecases/payments/adjustment-store.ts'
import type { OrderRow } from './durable-rows.ts'

/** The parts of an order's rows that an adjustment reads. */
export function lockedOrder(
  order: OrderRow,
  now: Date,
  isBatchClosed: (batchId: bigint | null) => boolean,
): LockedOrder {
  const parts = order.transactions.filter(({ state }) => state === 'approved')
  const first = parts.find(({ kind }) => kind === 'authorization' || kind === 'sale')
  const captures = parts.filter(({ kind }) => kind === 'sale' || kind === 'capture')
  return {
    id: order.id,
    merchantId: order.merchantId,
    siteId: order.siteId,
    mode: 'test',
    currency: order.currency,
    isCardRemoved: false,
    snapshot: {
      state: order.state,
      expired: order.expiresAt !== null && order.expiresAt <= now,
      money: {
        authorizedMinor: order.authorizedMinor,
        capturedMinor: order.capturedMinor,
        voidedMinor: order.voidedMinor,
        refundedMinor: order.refundedMinor,
        closedBatchCapturedMinor: captures
          .filter(({ batchId }) => isBatchClosed(batchId))
          .reduce((sum, { valueMinor, voidedMinor }) => sum + valueMinor - voidedMinor, 0n),
      },
      lines: order.lines.map((line) => ({ ...line })),
      captures: captures.map((row) => ({
        transactionId: row.id,
        amountMinor: row.valueMinor,
        voidedMinor: row.voidedMinor,
        batchClosed: isBatchClosed(row.batchId),
        rejected: false,
        lineId: row.lineId,
      })),
      reversedWhole: order.reversedWhole,
      disputedMinor: 0n,
    },
    authorization: {
      mti: order.kind === 'unreferenced_credit' ? '0200' : '0100',
      transactionId: first?.id ?? 0n,
      ...order.message,
    },
    avsCode: '',
    cvvCode: '',
    captureMessages: new Map(
      order.advices
        .filter(({ kind }) => kind === 'capture')
        .map(({ transactionId, message }) => [transactionId, message]),
    ),
  }
}
