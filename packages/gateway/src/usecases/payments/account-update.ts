import type { CardNumber } from '../../domain/payments/card-number.ts'
import { VaultUnavailableError, type CardVault, type SealedCard } from '../vault/card-vault.ts'
import { keptUpdate } from './follow-up.ts'
import type { AccountUpdate, BankFacts } from './payment-store.ts'
import type { Resolved } from './resolve-payment.ts'

/** Null where nothing came with the answer; most do not look further. */
export async function describeAccountUpdate(
  vault: CardVault,
  { saved, command }: Resolved,
  { merchantAdvice, cardUpdate }: BankFacts,
): Promise<AccountUpdate | null> {
  // An unchanged card, or no information, is no account update.
  const update = keptUpdate(cardUpdate?.result ?? null, saved !== null) && cardUpdate
  if (update === null || saved === null) {
    return merchantAdvice === '' ? null : { merchantAdvice, update: null }
  }
  const { number, result, description, on, expiry } = update
  const id = saved.paymentMethodId
  const sealed =
    number === null ? null : await sealReplacement(vault, number, id, command.site.merchantId)
  // The payment has ended at the bank: a vault that is away must not keep it from being recorded.
  if (sealed === 'away') return merchantAdvice === '' ? null : { merchantAdvice, update: null }
  return {
    merchantAdvice,
    update: {
      cardId: id,
      result,
      description,
      on,
      expiry,
      number: number === null || sealed === null ? null : { ...sealed, last4: number.last4 },
    },
  }
}

/** The bank sends the number again with the next renewal. */
async function sealReplacement(
  vault: CardVault,
  number: CardNumber,
  id: bigint,
  merchantId: bigint,
): Promise<SealedCard | 'away'> {
  try {
    return await vault.seal(number, { kind: 'payment method', id }, merchantId)
  } catch (error) {
    if (error instanceof VaultUnavailableError) return 'away'
    throw error
  }
}
