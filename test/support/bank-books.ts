import { stateOf, type Bank, type OrderState } from '@tollgate/bank'
import {
  stanAndTerminal,
  transmissionTime,
} from '../../packages/gateway/src/adapters/processor-iso8583/message-identity.ts'
import type { RunningGateway } from './running-gateway.ts'

/** What the bank's own books say of one of the gateway's orders; null when it knows none. */
export interface BankOrder {
  readonly state: OrderState
  readonly approvedMinor: bigint
  readonly capturedMinor: bigint
  readonly refundedMinor: bigint
  readonly heldMinor: bigint
}

/** A bank, and the institution id under which it knows the gateway's orders. */
export interface BankWithBooks {
  readonly bank: Pick<Bank, 'books'>
  readonly acquirer: string
}

export async function bankOrder(
  gateway: RunningGateway,
  orderId: string | number,
  { bank, acquirer }: BankWithBooks = { bank: gateway.bank, acquirer: '414000' },
): Promise<BankOrder | null> {
  const { rows } = await gateway.pool.query<{ message_number: string; message_at: Date }>(
    'select message_number, message_at from orders where id = $1',
    [orderId],
  )
  const [row] = rows
  if (row === undefined) return null
  const { stan, terminal } = stanAndTerminal(BigInt(row.message_number))
  const key = `${acquirer}/${terminal}/${stan}/${transmissionTime(row.message_at)}`
  const order = bank.books.find(key)
  if (order?.kind !== 'auth') return null
  return {
    state: stateOf(order),
    approvedMinor: order.approved,
    capturedMinor: order.captured,
    refundedMinor: order.refunded,
    heldMinor: order.approved - order.captured,
  }
}
