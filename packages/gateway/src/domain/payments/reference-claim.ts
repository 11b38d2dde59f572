/** A declined payment that held an order reference. */
export interface DeclinedClaim {
  readonly transactionId: bigint
  /** Digest of everything that may make another request for the same payment end differently. */
  readonly details: string
  /** By the site's clock. */
  readonly endedAt: Date
}

/** The holder of an order reference, and the declined payments that held it before. */
export interface ReferenceClaim {
  readonly state: 'running' | 'approved' | 'declined'
  readonly transactionId: bigint
  /** Digest of what makes two payments of the reference the same. */
  readonly content: string
  /** The latest first; the holder itself when it is declined. */
  readonly declines: readonly DeclinedClaim[]
}

/** A payment takes its order reference: granted only if it is free, or held by `after[0]`. */
export interface NewClaim {
  readonly content: string
  readonly details: string
  /** The declined holder that it replaces, and those before; empty: the reference is free. */
  readonly after: readonly DeclinedClaim[]
}

/** A payment that names a reference: `refuse` and `replay` are modes 1 and 2. */
export interface ReferenceUse {
  readonly duplicates: 'allow' | 'refuse' | 'replay'
  readonly content: string
  readonly details: string
  /** By the site's clock. */
  readonly at: Date
}

export type ClaimDecision =
  /** It may take the reference, in place of the declines. */
  | { readonly kind: 'begin'; readonly after: readonly DeclinedClaim[] }
  | { readonly kind: 'wait' }
  | { readonly kind: 'repeat'; readonly transactionId: bigint }
  | { readonly kind: 'duplicate' }

/** A client that lost the answer repeats its request within this time. */
export const DECLINE_REPEATS_MS = 120_000
/** More attempts of one reference within the time are an attack, not lost answers. */
const MOST_DECLINES = 20

/** The consequence of a reference's holder, if any, for another payment of the reference. */
export function decideReference(claim: ReferenceClaim | null, use: ReferenceUse): ClaimDecision {
  if (claim === null) return { kind: 'begin', after: [] }
  if (claim.state !== 'declined') return decideHeld(claim, use)
  const repeated = claim.declines.find(
    (declined) => declined.details === use.details && stillRepeats(declined, use.at),
  )
  return use.duplicates === 'replay' && repeated !== undefined
    ? { kind: 'repeat', transactionId: repeated.transactionId }
    : { kind: 'begin', after: declinesBefore(claim, use.at) }
}

function decideHeld(
  { state, transactionId, content }: ReferenceClaim,
  use: ReferenceUse,
): ClaimDecision {
  if (use.duplicates === 'refuse' && state === 'approved') return { kind: 'duplicate' }
  if (use.duplicates === 'replay' && content !== use.content) return { kind: 'duplicate' }
  return state === 'running' ? { kind: 'wait' } : { kind: 'repeat', transactionId }
}

/** The holder, by which it is replaced, and the others that still answer their repeats. */
export function declinesBefore(claim: ReferenceClaim, at: Date): readonly DeclinedClaim[] {
  return claim.declines
    .filter((declined, index) => index === 0 || stillRepeats(declined, at))
    .slice(0, MOST_DECLINES)
}

/** The clocks of two machines may differ a little, so a decline may lie ahead. */
function stillRepeats({ endedAt }: DeclinedClaim, at: Date): boolean {
  return Math.abs(at.getTime() - endedAt.getTime()) < DECLINE_REPEATS_MS
}

/**
 * The state of the reference that a concluded payment held. No digest of a security code is stored,
 * so a corrected code looks the same: a decline for a wrong code answers no repeats.
 */
export function referenceAfter(
  state: 'approved' | 'declined' | 'failed',
  cvvCode: string,
): 'approved' | 'declined' | 'free' {
  if (state === 'approved') return 'approved'
  return state === 'declined' && cvvCode !== WRONG_CODE ? 'declined' : 'free'
}

const WRONG_CODE = 'N'
