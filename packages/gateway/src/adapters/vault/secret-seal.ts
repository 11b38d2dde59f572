import { Secret } from '../../base/secret.ts'
import type { PlaceSeal, Sealed } from './place-seal.ts'

/** Seals secrets of the configuration. */
export interface SecretSeal {
  /** `binding` names the row and column that it is for; elsewhere it does not open. */
  seal(secret: Secret, binding: string): Promise<Sealed>
  /** Throws when it was sealed for another place, changed, or its data key cannot be had. */
  open(stored: Uint8Array, binding: string): Promise<Secret>
}

export function createSecretSeal(places: PlaceSeal): SecretSeal {
  return {
    seal: (secret, binding) => places.seal(secret.reveal(), binding),
    open: async (stored, binding) =>
      new Secret((await places.open(stored, binding)).toString('utf8')),
  }
}

/** The binding of a link's client key. */
export function linkKeyBinding(linkName: string): string {
  return `client key of processor link ${linkName}`
}

/** The binding of a site's token keys. */
export function tokenKeyBinding(siteId: bigint): string {
  return `token key of site ${siteId}`
}

/** The binding of a key that signs 3-D Secure tokens. */
export function threeDsKeyBinding(kid: string): string {
  return `3-D Secure signing key ${kid}`
}

/** The binding of a CAVV. */
export function cavvBinding(serverTransId: string): string {
  return `CAVV of authentication ${serverTransId}`
}

/** The binding of the secret of an operator's one-time codes. */
export function operatorSecondFactorBinding(operatorId: bigint): string {
  return `second factor of operator ${operatorId}`
}

/** The binding of the secret of a portal user's one-time codes. */
export function secondFactorBinding(portalUserId: bigint): string {
  return `second factor of person ${portalUserId}`
}

/** The binding of a secret that signs webhooks. */
export function webhookSecretBinding(endpointId: bigint): string {
  return `webhook secret of endpoint ${endpointId}`
}
