import { isIP } from 'node:net'
import { roomFor, type LoginJournalOptions } from '../../../adapters/credentials/login-journal.ts'
import { nameWithoutCards } from '../../../domain/logins/caller-name.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import { personActor, personObject } from '../usecases/person.ts'
import type { SignInEvent, SignInJournal } from '../usecases/sessions.ts'

export interface BoundedSignInJournal extends SignInJournal {
  /** Enters how many failures were left out since the last time; to be called now and then. */
  enterLeftOut(): Promise<void>
}

/** Failed sign-ins of people, entered as those of API users are: beyond a bound, as a number. */
export function createSignInJournal({
  audit,
  process,
  monotonicMs,
  digest,
  onLost,
}: LoginJournalOptions): BoundedSignInJournal {
  const rooms = { people: roomFor(monotonicMs), strangers: roomFor(monotonicMs) }
  let leftOut = 0

  function enter(
    event: SignInEvent,
    entry: Pick<AuditEntry, 'operation' | 'result' | 'details'>,
  ): void {
    const takeRoom = event.person === null ? rooms.strangers : rooms.people
    if (takeRoom()) audit.append({ ...partsOf(event, digest), ...entry }).catch(onLost)
    else leftOut += 1
  }

  return {
    failed: (event, reason) =>
      enter(event, { operation: 'person.sign_in_failed', result: 'refused', details: { reason } }),
    locked: (event, failures) =>
      enter(event, { operation: 'person.locked', result: 'done', details: { failures } }),
    async enterLeftOut() {
      const count = leftOut
      if (count === 0) return
      await audit.append({
        actor: process,
        operation: 'person.sign_in_failed',
        object: 'many people',
        result: 'refused',
        details: { left_out: count },
      })
      leftOut -= count
    },
  }
}

/** An unknown address may be a password in the wrong field, so it is entered as a digest. */
function partsOf(
  { email, person, address }: SignInEvent,
  digest: (text: string) => string,
): Pick<AuditEntry, 'actor' | 'object' | 'address' | 'merchantId'> {
  const from = isIP(address) === 0 ? 'no address' : address
  if (person !== null) {
    return {
      actor: personActor(person),
      object: personObject(person),
      merchantId: person.merchantId,
      address: from,
    }
  }
  const digits = digest(`unknown e-mail ${nameWithoutCards(email)}`).slice(0, 16)
  return { actor: 'person:(unknown)', object: `unknown e-mail ${digits}`, address: from }
}
