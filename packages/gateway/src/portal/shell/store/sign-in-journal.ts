import { isIP } from 'node:net'
import { roomFor, type LoginJournalOptions } from '../../../adapters/credentials/login-journal.ts'
import { nameWithoutCards } from '../../../domain/logins/caller-name.ts'
import type { AuditEntry, AuditOperation } from '../../../usecases/audit/audit-log.ts'
import type {
  AuditNames,
  SignInEvent,
  SignInJournal,
  SignInUser,
} from '../usecases/sign-in-ports.ts'

export interface BoundedSignInJournal<User extends SignInUser> extends SignInJournal<User> {
  /** Enters how many failures were left out since the last time; to be called now and then. */
  enterLeftOut(): Promise<void>
}

/** How the journal names one kind of users, and what happens to them. */
export interface JournalNames<User extends SignInUser> extends AuditNames<User> {
  readonly failed: AuditOperation
  readonly locked: AuditOperation
  /** The actor of a failure without a user, such as `portal:(unknown)`. */
  readonly unknown: string
  /** The object of an entry about failures that were left out. */
  readonly many: string
}

/** Failed sign-ins, entered as those of API users are: beyond a bound, as a number. */
export function createSignInJournal<User extends SignInUser>(
  { audit, process, monotonicMs, digest, onLost }: LoginJournalOptions,
  names: JournalNames<User>,
): BoundedSignInJournal<User> {
  const rooms = { known: roomFor(monotonicMs), anonymous: roomFor(monotonicMs) }
  let leftOut = 0

  function enter(
    event: SignInEvent<User>,
    entry: Pick<AuditEntry, 'operation' | 'result' | 'details'>,
  ): void {
    const takeRoom = event.user === null ? rooms.anonymous : rooms.known
    if (takeRoom()) audit.append({ ...partsOf(event), ...entry }).catch(onLost)
    else leftOut += 1
  }

  /** An unknown address may be a password in the wrong field, so it is entered as a digest. */
  function partsOf({
    email,
    user,
    address,
  }: SignInEvent<User>): Pick<AuditEntry, 'actor' | 'object' | 'address' | 'merchantId'> {
    const from = isIP(address) === 0 ? 'no address' : address
    if (user !== null) return names.entry(user, 'signed_in', from, {})
    const digits = digest(`unknown e-mail ${nameWithoutCards(email)}`).slice(0, 16)
    return { actor: names.unknown, object: `unknown e-mail ${digits}`, address: from }
  }

  return {
    failed: (event, reason) =>
      enter(event, { operation: names.failed, result: 'refused', details: { reason } }),
    locked: (event, failures) =>
      enter(event, { operation: names.locked, result: 'done', details: { failures } }),
    async enterLeftOut() {
      const count = leftOut
      if (count === 0) return
      await audit.append({
        actor: process,
        operation: names.failed,
        object: names.many,
        result: 'refused',
        details: { left_out: count },
      })
      leftOut -= count
    },
  }
}
