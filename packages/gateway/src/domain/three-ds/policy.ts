import { isDeepStrictEqual } from 'node:util'
import type { Result } from '../../base/refusal.ts'
import { siteChangedMeanwhile } from '../merchants/refused-site.ts'

/** A site's settings for 3-D Secure. */
export interface ThreeDsPolicy {
  /** Decline where the browser's data are missing, instead of going on without authentication. */
  readonly required: boolean
  /** The behaviour if no authentication is possible. */
  readonly whenUnavailable: 'authorize' | 'decline'
  readonly paResRequired: boolean
  /** threeDSRequestorChallengeInd; null leaves it out. */
  readonly challengePreference: string | null
  /** Hosts that a return URL may name; empty: any. */
  readonly returnHosts: readonly string[]
}

/** The settings after a change; refused when they are not the ones that the caller was shown. */
export function decidePolicy(
  siteId: bigint,
  before: ThreeDsPolicy,
  changes: Partial<ThreeDsPolicy>,
  seen: ThreeDsPolicy | null,
): Result<{ readonly policy: ThreeDsPolicy }> {
  if (seen !== null && !isDeepStrictEqual(seen, before)) return siteChangedMeanwhile(siteId)
  return { ok: true, policy: { ...before, ...changes } }
}
