import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import type { PasswordMemory } from '../../usecases/logins/login-ports.ts'

/** How long a verified password that is not used again is accepted on its digest alone. */
const UNUSED_MS = 15 * 60_000
/** The same of one in use. Its user does not depend on a slow verification during a flood. */
const LONGEST_MS = 24 * 3_600_000
/** Below the time that a use may add, so that most uses change nothing. */
const RENEW_AFTER_MS = 60_000
/** The database has the time of a password's last use, to the hour. */
const NOTE_USE_AFTER_MS = 3_600_000
const MEMORY_LIMIT = 20_000

interface Entry {
  until: number
  readonly longest: number
  noteUseAt: number
  readonly digest: Buffer
  readonly as: 'let in' | 'right'
}

/**
 * Keyed digests of passwords that were verified against slow hashes. The key lives and dies with
 * the process; a changed hash is a changed password and starts again.
 */
export function createPasswordMemory(monotonicMs: () => number): PasswordMemory {
  const key = createSecretKey(randomBytes(32))
  const known = new Map<string, Entry>()
  const memory: PasswordMemory = {
    digestOf: (password) => createHmac('sha256', key).update(password.reveal()).digest(),

    find(passwords, digest) {
      for (const password of passwords) {
        const entry = known.get(password.hash)
        const now = monotonicMs()
        if (entry === undefined || entry.until <= now) continue
        if (!timingSafeEqual(entry.digest, digest)) continue
        const renewed = Math.min(now + UNUSED_MS, entry.longest)
        if (renewed >= entry.until + RENEW_AFTER_MS) {
          entry.until = renewed
          known.delete(password.hash)
          known.set(password.hash, entry)
        }
        return { password, as: entry.as }
      }
      return null
    },

    isUseToNote({ hash }) {
      const entry = known.get(hash)
      const now = monotonicMs()
      if (entry === undefined || now < entry.noteUseAt) return false
      entry.noteUseAt = now + NOTE_USE_AFTER_MS
      return true
    },

    learn({ hash }, digest, as) {
      // A verified password stays verified when another check refuses the request.
      if (as === 'right' && memory.find([{ number: 0, hash }], digest)?.as === 'let in') return
      known.delete(hash)
      const [oldest] = known.size < MEMORY_LIMIT ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      const now = monotonicMs()
      known.set(hash, {
        until: now + UNUSED_MS,
        longest: now + LONGEST_MS,
        noteUseAt: now + NOTE_USE_AFTER_MS,
        digest,
        as,
      })
    },
  }
  return memory
}
