import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import type { PasswordMemory } from '../../usecases/logins/login-ports.ts'

/** How long a verified password is taken on its digest alone. */
const MEMORY_MS = 15 * 60_000
const MEMORY_LIMIT = 20_000

interface Entry {
  readonly until: number
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
        if (entry === undefined || entry.until <= monotonicMs()) continue
        if (timingSafeEqual(entry.digest, digest)) return entry.as
      }
      return null
    },

    learn({ hash }, digest, as) {
      // A verified password stays verified when another check refuses the request.
      if (as === 'right' && memory.find([{ number: 0, hash }], digest) === 'let in') return
      known.delete(hash)
      const [oldest] = known.size < MEMORY_LIMIT ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      known.set(hash, { until: monotonicMs() + MEMORY_MS, digest, as })
    },
  }
  return memory
}
