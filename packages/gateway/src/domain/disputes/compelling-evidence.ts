/** A sale with the facts that Compelling Evidence 3.0 compares. Empty: the request had none. */
export interface ComparedSale {
  readonly orderId: bigint
  readonly at: Date
  readonly amountMinor: bigint
  readonly currency: string
  readonly user: string
  readonly address: string
  readonly ip: string
  readonly device: string
}

const FACTS = ['user', 'address', 'ip', 'device'] as const

export type ComparedFact = (typeof FACTS)[number]

/** Two earlier sales that identify the cardholder, and the facts that all three have in common. */
export interface CompellingPair {
  readonly sales: readonly [ComparedSale, ComparedSale]
  readonly equal: readonly ComparedFact[]
}

/** Whether a reason can be answered with it: Visa's fraud with the card absent. */
export function takesCompellingEvidence(brand: string, reason: string | null): boolean {
  return brand === 'visa' && reason === '10.4'
}

/** Days before the dispute within which the earlier sales must be. */
export const EARLIEST_DAYS = 365
export const LATEST_DAYS = 120

/**
 * The pair with the most facts in common: at least two, one of them the IP address or the device.
 * Null where no two of the earlier sales have them.
 * @param earlier settled and undisputed sales of the same card within the days
 */
export function choosePair(
  disputed: ComparedSale,
  earlier: readonly ComparedSale[],
): CompellingPair | null {
  let best: CompellingPair | null = null
  for (const [at, first] of earlier.entries()) {
    const ofFirst = equalFacts(disputed, first)
    for (const second of earlier.slice(at + 1)) {
      const ofBoth = equalFacts(disputed, second)
      const equal = ofFirst.filter((fact) => ofBoth.includes(fact))
      const isEnough = equal.length >= 2 && (equal.includes('ip') || equal.includes('device'))
      if (isEnough && equal.length > (best?.equal.length ?? 0)) {
        best = { sales: [first, second], equal }
      }
    }
  }
  return best
}

function equalFacts(one: ComparedSale, other: ComparedSale): readonly ComparedFact[] {
  return FACTS.filter((fact) => one[fact] !== '' && one[fact] === other[fact])
}
