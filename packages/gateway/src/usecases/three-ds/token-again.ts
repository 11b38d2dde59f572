import { invariant } from '../../base/invariant.ts'
import type { KeyUse } from '../payments/idempotency-key.ts'
import { refusePayment, type RefusedPayment } from '../payments/payment-command.ts'
import {
  numberOnFile,
  revealCard,
  type Found,
  type Resolved,
  type ResolvePaymentDeps,
} from '../payments/resolve-payment.ts'
import type { StoredAuthentication } from './authentication-store.ts'
import type { ThreeDsDeps } from './three-ds-deps.ts'

interface FinalCardDeps extends ResolvePaymentDeps {
  readonly threeDs: Pick<ThreeDsDeps, 'waitingCodes'>
}

/**
 * The card of a final call against which nothing else stands. A token of its own is used up by
 * this; null when it is gone. The token of the first call was used up there, and is named again.
 */
export function cardOfFinalCall(
  deps: FinalCardDeps,
  found: Found,
  seen: StoredAuthentication,
  use: KeyUse | null,
): Promise<Resolved | RefusedPayment | null> {
  const isItsToken = found.token !== null && found.token.id === seen.cardTokenId
  return isItsToken ? cardOfUsedToken(deps, found, seen) : revealCard(deps, found, use)
}

/**
 * The number is in the vault since the first call; the code waits under the token. Only the call
 * that ends the authentication sends it on: that end erases the code.
 */
async function cardOfUsedToken(
  deps: FinalCardDeps,
  found: Found,
  seen: StoredAuthentication,
): Promise<Resolved | RefusedPayment> {
  const { command, token } = found
  const { card, site } = command
  invariant(card.kind === 'token' && token !== null, 'a final call names no token')
  const cvv = found.cvv ?? (await deps.threeDs.waitingCodes.read(token.id, card.token, site))
  if (cvv === null && card.cvvRequired) return refusePayment('parameter_missing', 'security_code')
  const pan = await numberOnFile(deps, site, seen)
  // Null: the merchant has removed the card since.
  return pan === null ? refusePayment('token_invalid', 'card_token') : { ...found, pan, cvv }
}
