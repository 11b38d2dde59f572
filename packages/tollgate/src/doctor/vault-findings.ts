import type { TransitFacts } from '@tollgate/gateway/operator-doctor'
import { fault, good, warning, type Finding } from './finding.ts'

const PART = 'vault'
/** An agent renews long before: with less than this part left, none does. */
const LITTLE_LEFT = 0.1

/**
 * Judges the Vault that keeps the key-encrypting key.
 * @param tried what a try of the key showed, or the sentence that says why it failed
 */
export function judgeVault(tried: TransitFacts | string): Finding {
  if (typeof tried === 'string') {
    const advice = 'No gateway starts before. See docs/operators/keys.md.'
    return fault(PART, tried, advice)
  }
  const { keyId, token } = tried
  const found = `The key ${keyId} wraps and unwraps.`
  if (token === null) {
    const advice = 'Give the token the policy "default", so that it can look itself up.'
    return warning(PART, `${found} The validity of the token is unknown.`, advice)
  }
  const { isRenewable, seconds, secondsLeft } = token
  if (secondsLeft === null) return good(PART, `${found} The token has no end.`)
  const left = `The token is valid for ${lengthOf(secondsLeft)} more.`
  if (secondsLeft > seconds * LITTLE_LEFT) return good(PART, `${found} ${left}`)
  const advice = isRenewable
    ? 'Look whether the agent that renews it runs.'
    : 'It cannot be renewed: let an agent write a new one to VAULT_TOKEN_FILE.'
  return warning(PART, `${found} ${left} It began with ${lengthOf(seconds)}.`, advice)
}

/** Judges which processes of a node have the data keys. */
export function judgeVaultProcess(config: {
  readonly mode: 'sandbox' | 'production'
  readonly vaultProcess: 'on' | 'off'
}): Finding {
  if (config.vaultProcess === 'on')
    return good(PART, 'The vault process has the data keys, and workers have none.')
  const found = 'Each worker has the data keys in its memory (VAULT_PROCESS=off).'
  return config.mode === 'sandbox'
    ? good(PART, found)
    : warning(PART, found, 'Set VAULT_PROCESS=on. See docs/operators/keys.md.')
}

/** A length of time in one unit, rounded down. */
function lengthOf(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} minutes`
  return seconds < 172_800
    ? `${Math.floor(seconds / 3_600)} hours`
    : `${Math.floor(seconds / 86_400)} days`
}
