import type { Secret } from '../../base/secret.ts'
import { CardUnreadableError, type CardPlace, type CardVault } from '../vault/card-vault.ts'

/** Numbers shorter than this are known too well by eight digits and the last four. */
const LONG_NUMBER = 16

/**
 * What may be kept of a number beside its last four digits: the first eight, or six of a short one.
 */
export function leadingDigits(pan: Secret): string {
  const digits = pan.reveal()
  return digits.slice(0, digits.length < LONG_NUMBER ? 6 : 8)
}

/** The same of a number in the vault; null when its data key was destroyed. */
export async function revealedLeadingDigits(
  vault: CardVault,
  ciphertext: Uint8Array,
  place: CardPlace,
  merchantId: bigint,
): Promise<string | null> {
  try {
    return leadingDigits(await vault.reveal(ciphertext, place, 'leading digits', merchantId))
  } catch (error) {
    if (error instanceof CardUnreadableError) return null
    throw error
  }
}
