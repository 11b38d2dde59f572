import { isIP } from 'node:net'
import { nameWithoutCards } from '../../domain/logins/caller-name.ts'
import type { AuditEntry, AuditLog } from '../../usecases/audit/audit-log.ts'
import type { LoginEvent, LoginJournal } from '../../usecases/logins/login-ports.ts'

/** A password that is verified again within this time is not entered again. */
const VERIFIED_EVERY_MS = 15 * 60_000
const VERIFIED_LIMIT = 20_000
/**
 * The number of failed logins that a process enters at once, and the rate after that; further ones
 * are counted. Known and unknown user names have separate limits, so invented names hide no attempt
 * on a user.
 */
const FAILURES_AT_ONCE = 1_000
const FAILURES_PER_SECOND = 1

export interface LoginJournalOptions {
  readonly audit: AuditLog
  /** The actor in the audit log for the process's own entries. */
  readonly process: string
  readonly monotonicMs: () => number
  /** Keyed, so that a reader of the audit log cannot test passwords against it. */
  readonly digest: (text: string) => string
  /** A failed login that could not be entered. */
  readonly onLost: (error: unknown) => void
}

export interface BoundedLoginJournal extends LoginJournal {
  /** Enters how many failures were left out since the last time; to be called now and then. */
  enterLeftOut(): Promise<void>
}

/**
 * Enters logins in the audit log. Each failure is an entry up to a limit. A flood must not fill the
 * disk, so further failures are entered as a number.
 */
export function createLoginJournal(options: LoginJournalOptions): BoundedLoginJournal {
  const { audit, monotonicMs } = options
  const verified = new Map<string, number>()
  const rooms = { users: roomFor(monotonicMs), anonymous: roomFor(monotonicMs) }
  let leftOut = 0

  function enter(
    event: LoginEvent,
    entry: Pick<AuditEntry, 'operation' | 'result' | 'details'>,
  ): void {
    const takeRoom = event.user === null ? rooms.anonymous : rooms.users
    if (takeRoom())
      audit.append({ ...partsOf(event, options.digest), ...entry }).catch(options.onLost)
    else leftOut += 1
  }

  return {
    async verified(event, { number, hash }) {
      const now = monotonicMs()
      if ((verified.get(hash) ?? -Infinity) > now) return
      verified.delete(hash)
      const [oldest] = verified.size < VERIFIED_LIMIT ? [] : verified.keys()
      if (oldest !== undefined) verified.delete(oldest)
      verified.set(hash, now + VERIFIED_EVERY_MS)
      try {
        await audit.append({
          ...partsOf(event, options.digest),
          operation: 'login.verified',
          result: 'done',
          details: { password: number },
        })
      } catch (error) {
        verified.delete(hash)
        throw error
      }
    },
    failed(event, reason) {
      enter(event, { operation: 'login.failed', result: 'refused', details: { reason } })
    },
    locked(event, failures) {
      enter(event, { operation: 'login.locked', result: 'done', details: { failures } })
    },
    async enterLeftOut() {
      const count = leftOut
      if (count === 0) return
      await audit.append({
        actor: options.process,
        operation: 'login.failed',
        object: 'many users',
        result: 'refused',
        details: { left_out: count },
      })
      leftOut -= count
    },
  }
}

/** A bucket of entries; whether there is one left. */
export function roomFor(monotonicMs: () => number): () => boolean {
  let room = FAILURES_AT_ONCE
  let at = monotonicMs()
  return () => {
    const now = monotonicMs()
    room = Math.min(FAILURES_AT_ONCE, room + ((now - at) / 1_000) * FAILURES_PER_SECOND)
    at = now
    if (room < 1) return false
    room -= 1
    return true
  }
}

/** An unknown name may be a card number or a password, so it is entered as a digest. */
function partsOf(
  { username, user, address }: LoginEvent,
  digest: (text: string) => string,
): Pick<AuditEntry, 'actor' | 'object' | 'address' | 'merchantId'> {
  const from = isIP(address) === 0 ? 'no address' : address
  if (user === null) {
    const digits = digest(`unknown user name ${nameWithoutCards(username)}`).slice(0, 16)
    return { actor: 'api:(unknown)', object: `unknown user name ${digits}`, address: from }
  }
  return {
    actor: `api:${user.username}`,
    object: `api user ${user.username}`,
    merchantId: user.merchantId,
    address: from,
  }
}
