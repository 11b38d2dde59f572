import type { CardBrand } from '../payments/card.ts'
import type { TransStatus } from './trans-status.ts'

const MASTERCARD: ReadonlySet<CardBrand> = new Set(['Mastercard', 'Maestro'])

/** Electronic commerce indicators that go with a status, on the scale of the card's brand. */
const ECIS: Readonly<
  Record<Exclude<TransStatus, 'C'>, { readonly mastercard: string; readonly others: string }>
> = {
  // Mastercard has 07 for the first of recurring payments.
  Y: { mastercard: '02 07', others: '05' },
  A: { mastercard: '01', others: '06' },
  N: { mastercard: '00', others: '07' },
  R: { mastercard: '00', others: '07' },
  U: { mastercard: '00', others: '07' },
  I: { mastercard: '04 06', others: '07' },
}

export interface AuthenticationFacts {
  /** Null: of no brand that is known, which is on the scale of most. */
  readonly brand: CardBrand | null
  readonly status: TransStatus
  /** '' if there is none. */
  readonly eci: string
  readonly hasCavv: boolean
  /** A card without a payment needs no CAVV. */
  readonly isPayment: boolean
}

/**
 * Whether an authentication is consistent. Returns the code of an Erro and the name of the faulty
 * element; null when it may be used.
 */
export function inconsistencyOf(
  facts: AuthenticationFacts,
): { readonly errorCode: '201' | '203'; readonly element: string } | null {
  const { brand, status, eci, hasCavv, isPayment } = facts
  const isAuthenticated = status === 'Y' || status === 'A'
  if (isAuthenticated && isPayment && !hasCavv) {
    return { errorCode: '201', element: 'authenticationValue' }
  }
  if (hasCavv && !isAuthenticated && status !== 'I') {
    return { errorCode: '203', element: 'authenticationValue' }
  }
  if (eci === '' || status === 'C') return null
  const scale = brand !== null && MASTERCARD.has(brand) ? 'mastercard' : 'others'
  if (ECIS[status][scale].split(' ').includes(eci)) return null
  return { errorCode: '203', element: 'eci' }
}
