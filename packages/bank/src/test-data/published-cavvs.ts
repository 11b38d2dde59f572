import type { AuthenticationClaim, CavvResult } from '../three-ds/cavv-check.ts'

/** A CAVV that stands for the result of another 3-D Secure provider, on any test card. */
export interface PublishedCavv {
  /** Base64, as a merchant sends it. */
  readonly cavv: string
  readonly meaning: string
  readonly isValid: boolean
}

/** Merchants have tests against these, so a row is never changed or removed. */
export const PUBLISHED_CAVVS: readonly PublishedCavv[] = [
  {
    cavv: 'AAABBEg0VhI0VniQEjRWAAAAAAA=',
    meaning: 'accepted with any test card, amount and transaction id',
    isValid: true,
  },
  { cavv: 'AAABBWcSNIdjeUZThmNHAAAAAAA=', meaning: 'declined with Q1', isValid: false },
]

const BY_HEX: ReadonlyMap<string, PublishedCavv> = new Map(
  PUBLISHED_CAVVS.map((row) => [
    Buffer.from(row.cavv, 'base64').toString('hex').toUpperCase(),
    row,
  ]),
)

/** ECI of an attempt on the link, whose scale is Visa's. */
const ATTEMPT = '06'

/** The CAVV result of a published CAVV; null for any other. */
export function findPublishedCavv({
  cavv,
  eci,
}: Pick<AuthenticationClaim, 'cavv' | 'eci'>): CavvResult | null {
  const row = BY_HEX.get(cavv.toUpperCase())
  if (row === undefined) return null
  if (eci === ATTEMPT) return row.isValid ? '3' : '4'
  return row.isValid ? '2' : '1'
}
