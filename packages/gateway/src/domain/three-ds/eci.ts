import type { CardBrand } from '../payments/card.ts'

/** Electronic commerce indicators of one scale: fully authenticated, attempted, neither. */
interface EciScale {
  readonly full: string
  readonly attempted: string
  readonly none: string
  /** An exemption of the acquirer's, without authentication. */
  readonly exempt: string
}

const MOST: EciScale = {
  full: '05',
  attempted: '06',
  none: '07',
  exempt: '07',
}
const MASTERCARD: EciScale = {
  full: '02',
  attempted: '01',
  none: '00',
  exempt: '06',
}

/** The scale of a brand; null, an unknown brand, has the scale of most. */
export function eciScale(brand: CardBrand | null): EciScale {
  return brand === 'Mastercard' || brand === 'Maestro' ? MASTERCARD : MOST
}

/**
 * Whether an indicator is one of the brand's: the same number means other things on the other
 * scale.
 */
export function isOnScale(eci: string, brand: CardBrand | null): boolean {
  const { full, attempted, none } = eciScale(brand)
  return eci === full || eci === attempted || eci === none
}
