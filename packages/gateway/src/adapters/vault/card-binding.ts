import type { CardPlace } from '../../usecases/vault/card-vault.ts'
import { BOUND_TO_MERCHANT, type SealedFormat } from './sealed-format.ts'

/**
 * The row that a number is bound to and, but for the first format, its merchant. So a request that
 * names another merchant opens nothing, without a read of the row.
 */
export function cardBinding(place: CardPlace, merchantId: bigint, format: SealedFormat): string {
  const row = rowBinding(place)
  return format === BOUND_TO_MERCHANT ? `${row} of merchant ${merchantId}` : row
}

/** The row of a number, as the audit log names it. */
export function rowBinding({ kind, id }: CardPlace): string {
  return `${kind} ${id}`
}
