import { stateOf, type Bank, type OrderState } from '@tollgate/bank'
import {
  stanAndTerminal,
  transmissionTime,
} from '../../packages/gateway/src/adapters/processor-iso8583/message-identity.ts'
import type { RunningGateway } from './running-gateway.ts'

/** One of the gateway's orders in the bank's own books. */
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

interface OrderRow {
  readonly id: string
  readonly authorized_minor: string
  readonly voided_minor: string
  readonly captured_minor: string
  readonly refunded_minor: string
}

/**
 * One sentence for each order whose money is not the same in the gateway's and the bank's books.
 */
export async function booksDifferences(gateway: RunningGateway): Promise<string[]> {
  const { rows } = await gateway.pool.query<OrderRow>(
    `select id, authorized_minor, voided_minor, captured_minor, refunded_minor
       from orders where kind = 'payment'`,
  )
  const faults: string[] = []
  for (const row of rows) {
    const atBank = await bankOrder(gateway, row.id)
    const left = BigInt(row.authorized_minor) - BigInt(row.voided_minor)
    const ours = `${left} ${row.captured_minor} ${row.refunded_minor}`
    const { approvedMinor = 0n, capturedMinor = 0n, refundedMinor = 0n } = atBank ?? {}
    const theirs = `${approvedMinor} ${capturedMinor} ${refundedMinor}`
    if (ours !== theirs) faults.push(`Order ${row.id}: gateway ${ours}, bank ${theirs}.`)
  }
  return [...faults, ...gateway.bank.books.findContradictions()]
}
