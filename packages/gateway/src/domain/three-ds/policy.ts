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

/** Whether settings let a site authorize a payment, or a return address, that it refused before. */
export function relaxesPolicy(before: ThreeDsPolicy, after: ThreeDsPolicy): boolean {
  const isMandateGone = before.challengePreference === '04' && after.challengePreference !== '04'
  const hosts = before.returnHosts
  const opensHosts =
    hosts.length > 0 &&
    (after.returnHosts.length === 0 || after.returnHosts.some((host) => !hosts.includes(host)))
  return (
    (before.required && !after.required) ||
    (before.whenUnavailable === 'decline' && after.whenUnavailable === 'authorize') ||
    (before.paResRequired && !after.paResRequired) ||
    isMandateGone ||
    opensHosts
  )
}

/** Settings as text, in the words of the command's options. */
export function policyText(policy: ThreeDsPolicy): string {
  const { challengePreference, paResRequired, required, returnHosts, whenUnavailable } = policy
  return [
    `required ${required ? 'on' : 'off'}`,
    `when unavailable ${whenUnavailable}`,
    `pares required ${paResRequired ? 'on' : 'off'}`,
    `challenge ${challengePreference ?? 'none'}`,
    `return hosts ${returnHosts.length === 0 ? 'any' : returnHosts.join(', ')}`,
  ].join('; ')
}
