import { randomBytes } from 'node:crypto'
import { openTransitKeyWrapper } from './transit-key-wrapper.ts'
import { transitCalls, type TransitServer } from './transit-server.ts'

/** How long the token of a Vault is valid. */
export interface TokenLife {
  /** Null for a token without an end. */
  readonly secondsLeft: number | null
  /** The seconds that it had at its creation; 0 for one without an end. */
  readonly seconds: number
  readonly isRenewable: boolean
}

/** A transit key that was tried. */
export interface TransitFacts {
  /** As `keys list` names it. */
  readonly keyId: string
  /** Null where the policy of the token does not let it look itself up. */
  readonly token: TokenLife | null
}

/**
 * Tries a transit key: wraps 32 random bytes, unwraps them again, and looks the token up. Nothing
 * is stored. Throws a sentence without the token in it.
 *
 * @param key `name` or `mount/name`
 */
export async function probeTransit(server: TransitServer, key: string): Promise<TransitFacts> {
  const wrapper = await openTransitKeyWrapper(server, key)
  const binding = { id: 0, purpose: 'pan' } as const
  const bytes = randomBytes(32)
  const unwrapped = await wrapper.unwrap(await wrapper.wrap(bytes, binding), binding)
  if (!unwrapped.equals(bytes)) {
    throw new Error(`The Vault at ${server.address} unwrapped other bytes than it wrapped.`)
  }
  return { keyId: wrapper.id, token: await lookTokenUp(server) }
}

/** The answer has the token itself too, so only what is needed is taken from it. */
async function lookTokenUp(server: TransitServer): Promise<TokenLife | null> {
  const answer = await transitCalls(server)('GET', 'auth/token/lookup-self', null)
  if (!answer.ok) return null
  const { ttl, creation_ttl: seconds, renewable } = answer.data
  if (typeof ttl !== 'number' || typeof seconds !== 'number') return null
  return {
    secondsLeft: ttl === 0 && seconds === 0 ? null : ttl,
    seconds,
    isRenewable: renewable === true,
  }
}
