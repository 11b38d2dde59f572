import { MASTERCARD_CREDIT, VISA_CREDIT } from '../issuer/card-product.ts'
import type { CardProduct } from '../issuer/card-product.ts'
import { disputeRow } from './dispute-amounts.ts'
import type { TestCard } from './test-card.ts'

/** Number, product, and the amount whose row holds for each capture of the card. */
const ROWS: readonly (readonly [pan: string, CardProduct, amount: string])[] = [
  ['4000009009113013', VISA_CREDIT, '9113.01'],
  ['4000009009113021', VISA_CREDIT, '9113.02'],
  ['4000009009113112', VISA_CREDIT, '9113.11'],
  ['4000009009113120', VISA_CREDIT, '9113.12'],
  ['4000009009113211', VISA_CREDIT, '9113.21'],
  ['4000009009113310', VISA_CREDIT, '9113.31'],
  ['5200829009113019', MASTERCARD_CREDIT, '9113.01'],
  ['5200829009113027', MASTERCARD_CREDIT, '9113.02'],
]

/** Test cards whose captures are disputed. */
export const DISPUTE_CARDS: readonly TestCard[] = ROWS.map(([pan, product, disputedAs]) => ({
  pan,
  meaning: `approves; as ${disputedAs}: ${disputeRow(disputedAs)?.meaning ?? ''}`,
  product,
  disputedAs,
}))
