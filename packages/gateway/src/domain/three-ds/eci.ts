import type { CardBrand } from '../card.ts'

/** Electronic commerce indicators of one scale: fully authenticated, attempted, neither. */
interface EciScale {
  readonly full: string
  readonly attempted: string
  readonly none: string
  /** An exemption of the acquirer's, without authentication. */
  readonly exempt: string
  /** Everything that a Directory Server of the brand may say. */
  readonly known: readonly string[]
}

const MOST: EciScale = {
  full: '05',
  attempted: '06',
  none: '07',
  exempt: '07',
  known: ['05', '06', '07'],
}
const MASTERCARD: EciScale = {
  full: '02',
  attempted: '01',
  none: '00',
  exempt: '06',
  // 04: data only; 06: exemption; 07: the first of recurring payments.
  known: ['00', '01', '02', '04', '06', '07'],
}

/** The scale of a brand; null, a brand that nobody knows, counts as most do. */
export function eciScale(brand: CardBrand | null): EciScale {
  return brand === 'Mastercard' || brand === 'Maestro' ? MASTERCARD : MOST
}
