import { isIP } from 'node:net'
import { roomFor, type LoginJournalOptions } from '../../../adapters/credentials/login-journal.ts'
import { nameWithoutCards } from '../../../domain/logins/caller-name.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import { portalUserActor, portalUserObject } from '../usecases/portal-user.ts'
import type { SignInEvent, SignInJournal } from '../usecases/sessions.ts'

export interface BoundedSignInJournal extends SignInJournal {
  /** Enters how many failures were left out since the last time; to be called now and then. */
  enterLeftOut(): Promise<void>
}

/**
 * Failed sign-ins of portal users, entered as those of API users are: beyond a bound, as a number.
 */
export function createSignInJournal({
  audit,
  process,
  monotonicMs,
  digest,
  onLost,
}: LoginJournalOptions): BoundedSignInJournal {
  const rooms = { portalUsers: roomFor(monotonicMs), anonymous: roomFor(monotonicMs) }
  let leftOut = 0

  function enter(
    event: SignInEvent,
    entry: Pick<AuditEntry, 'operation' | 'result' | 'details'>,
  ): void {
    const takeRoom = event.portalUser === null ? rooms.anonymous : rooms.portalUsers
    if (takeRoom()) audit.append({ ...partsOf(event, digest), ...entry }).catch(onLost)
    else leftOut += 1
  }

  return {
    failed: (event, reason) =>
      enter(event, {
        operation: 'portal_user.sign_in_failed',
        result: 'refused',
        details: { reason },
      }),
    locked: (event, failures) =>
      enter(event, { operation: 'portal_user.locked', result: 'done', details: { failures } }),
    async enterLeftOut() {
      const count = leftOut
      if (count === 0) return
      await audit.append({
        actor: process,
        operation: 'portal_user.sign_in_failed',
        object: 'many portal users',
        result: 'refused',
        details: { left_out: count },
      })
      leftOut -= count
    },
  }
}

/** An unknown address may be a password in the wrong field, so it is entered as a digest. */
function partsOf(
  { email, portalUser, address }: SignInEvent,
  digest: (text: string) => string,
): Pick<AuditEntry, 'actor' | 'object' | 'address' | 'merchantId'> {
  const from = isIP(address) === 0 ? 'no address' : address
  if (portalUser !== null) {
    return {
      actor: portalUserActor(portalUser),
      object: portalUserObject(portalUser),
      merchantId: portalUser.merchantId,
      address: from,
    }
  }
  const digits = digest(`unknown e-mail ${nameWithoutCards(email)}`).slice(0, 16)
  return { actor: 'portal:(unknown)', object: `unknown e-mail ${digits}`, address: from }
}
