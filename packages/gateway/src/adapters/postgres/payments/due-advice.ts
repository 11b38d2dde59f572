import { invariant } from '../../../base/invariant.ts'
import { brandOnTheWire } from '../../../domain/books/batch-agreement.ts'
import { findCurrency } from '../../../domain/currency.ts'
import { reversalReason } from '../../../domain/payments/reversal-reason.ts'
import type { DueAdvice } from '../../../usecases/payments/advice-store.ts'
import type { CardVault } from '../../../usecases/vault/card-vault.ts'
import { merchantAccount, type AccountRow } from '../merchants/account-rows.ts'

export interface AdviceRow extends AccountRow {
  readonly id: string
  readonly tries: number
  readonly kind: 'capture' | 'refund' | 'reversal'
  readonly amount_minor: string
  readonly remaining_minor: string | null
  readonly reason: string | null
  readonly sequence: number
  readonly original_mti: string
  readonly original_number: string
  readonly original_at: Date
  readonly message_number: string
  readonly message_at: Date
  readonly order_number: string
  readonly order_at: Date
  readonly currency: string
  readonly auth_code: string
  readonly entry_mode: string
  readonly payment_method_id: string
  /** Null once the card was taken away. */
  readonly pan_ciphertext: Buffer | null
  readonly merchant_id: string
  readonly batch_id: string | null
  readonly brand: string
  readonly agrees_batches: boolean
  readonly bank_test: string | null
}

/** A taken row as the advice to send. Throws CardUnreadableError for a refund to such a card. */
export async function dueAdvice(row: AdviceRow, vault: CardVault): Promise<DueAdvice> {
  const place = { kind: 'payment method', id: BigInt(row.payment_method_id) } as const
  const currency = findCurrency(row.currency)
  invariant(currency !== null, 'a queued advice has an unknown currency')
  return {
    id: BigInt(row.id),
    tries: row.tries,
    request: {
      kind: row.kind,
      message: { number: BigInt(row.message_number), at: row.message_at },
      repeat: row.tries > 1,
      original: {
        mti: row.original_mti,
        number: BigInt(row.original_number),
        at: row.original_at,
      },
      order: { number: BigInt(row.order_number), at: row.order_at },
      account: merchantAccount(row),
      amountMinor: BigInt(row.amount_minor),
      currency,
      remainingMinor: row.remaining_minor === null ? null : BigInt(row.remaining_minor),
      reason: row.reason === null ? null : reversalReason(row.reason),
      sequence: row.sequence,
      authCode: row.auth_code,
      entryMode: row.entry_mode,
      batch:
        row.batch_id === null || !row.agrees_batches
          ? null
          : { id: BigInt(row.batch_id), brand: brandOnTheWire(row.brand) },
      // Only a refund names the card; the rest is found by the order's own message.
      pan:
        row.kind === 'refund'
          ? await vault.reveal(sealedNumber(row), place, 'refund', BigInt(row.merchant_id))
          : null,
      bankTest: row.bank_test,
    },
  }
}

/** A card is not taken away while a refund to it is on its way, nor refunded afterwards. */
function sealedNumber({ pan_ciphertext: number }: AdviceRow): Buffer {
  invariant(number !== null, 'a refund is queued to a card that was taken away')
  return number
}
