import type { TestCard } from '../test-data/test-card.ts'
import { TEST_CARDS } from '../test-data/test-cards.ts'
import type { AccountIds } from './account-ids.ts'
import { findBrand } from './card-brands.ts'
import { usualProduct } from './card-product.ts'
import type { CardProduct } from './card-product.ts'

/** The issuer's record of a card. */
export interface CardRecord {
  readonly account: string
  readonly last4: string
  /** Null for any other card: its funds are unlimited. */
  readonly testCard: TestCard | null
  /** The account of the number that this one has replaced; null where there is none. */
  readonly replaced: string | null
  /** Null for a number of no known brand. */
  readonly product: CardProduct | null
}

/** The beginning of the merchant numbers of sites that a test makes for itself. */
const OWN_ISSUER = 'TGSITE'

/**
 * Finds the account behind a card number. Only account ids are kept, not numbers. Each merchant
 * number of a throwaway site has accounts of its own: funds and days of one site do not touch those
 * of another.
 */
export function openCardFile(
  accountIds: AccountIds,
): (pan: string, merchant: string) => CardRecord {
  const testCards = new Map(TEST_CARDS.map((row) => [accountIds.idOf(row.pan), row]))
  const replaced = new Map(
    TEST_CARDS.flatMap(({ pan, updater }) =>
      updater?.result === 'A' ? [[accountIds.idOf(updater.number), pan]] : [],
    ),
  )
  return (pan, merchant) => {
    const known = accountIds.idOf(pan)
    const accountOf = (number: string): string =>
      accountIds.idOf(merchant.startsWith(OWN_ISSUER) ? `${number} ${merchant}` : number)
    const before = replaced.get(known)
    const row = testCards.get(known) ?? null
    const brand = findBrand(pan)
    const product = row?.product ?? (brand === null ? null : usualProduct(brand))
    return {
      account: accountOf(pan),
      last4: pan.slice(-4),
      testCard: row,
      replaced: row === null || before === undefined ? null : accountOf(before),
      product,
    }
  }
}
