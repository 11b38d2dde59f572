import type { Clock } from '../../base/clock.ts'
import { THREE_DS_SERVICE } from '../../domain/three-ds/enrolment-decision.ts'
import type { AuthenticationStore, StoredAuthentication } from './authentication-store.ts'

export interface ExpireAuthenticationsDeps {
  readonly store: Pick<AuthenticationStore, 'findExpired' | 'decline'>
  readonly clock: Clock
}

const GROUP_SIZE = 64

/**
 * Declines payments whose customer never came back, and those whose request died while the issuer
 * was asked. Nothing was sent to the bank for any of them. True when there may be more.
 */
export async function expireAuthentications(deps: ExpireAuthenticationsDeps): Promise<boolean> {
  const expired = await deps.store.findExpired(deps.clock.now(), GROUP_SIZE)
  for (const authentication of expired) await expireAuthentication(deps, authentication)
  return expired.length === GROUP_SIZE
}

/** False when another caller decided on it meanwhile. */
export function expireAuthentication(
  { store, clock }: { readonly store: Pick<AuthenticationStore, 'decline'>; readonly clock: Clock },
  { serverTransId, state, resultStatus, transStatus }: StoredAuthentication,
): Promise<boolean> {
  const end = {
    serverTransId,
    // Only as it was read: a result that came since gives the payment its own time.
    from: state === 'asking' || state === 'challenge' || state === 'result' ? [state] : [],
    response: resultStatus ?? transStatus ?? '',
    eci: '',
    answer: null,
    finalDigest: null,
    at: clock.now(),
  }
  return store.decline(end, { state: 'expired', serviceCode: THREE_DS_SERVICE.notAuthenticated })
}
