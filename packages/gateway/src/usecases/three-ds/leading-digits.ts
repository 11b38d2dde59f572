import { CardUnreadableError, type CardPlace, type CardVault } from '../vault/card-vault.ts'

/** The leading digits of a number in the vault; null when its data key was destroyed. */
export async function revealedLeadingDigits(
  vault: CardVault,
  ciphertext: Uint8Array,
  place: CardPlace,
  merchantId: bigint,
): Promise<string | null> {
  try {
    const number = await vault.reveal(ciphertext, place, 'leading digits', merchantId)
    return number.leadingDigits
  } catch (error) {
    if (error instanceof CardUnreadableError) return null
    throw error
  }
}
