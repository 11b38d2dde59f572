import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../base/secret.ts'
import { verifyPassword } from './password-hash.ts'

/** How long a verified password is taken on its digest alone. */
const MEMORY_MS = 15 * 60_000
const MEMORY_LIMIT = 10_000

/**
 * Verifies passwords against slow hashes, once: afterwards a keyed digest in memory does. The key
 * lives and dies with the process; a changed hash is a changed password and starts anew.
 */
export function createPasswordMemory(
  monotonicMs: () => number,
): (password: Secret, hash: string) => Promise<boolean> {
  const key = createSecretKey(randomBytes(32))
  const known = new Map<string, { readonly until: number; readonly digest: Buffer }>()
  const verifying = new Map<string, Promise<boolean>>()

  /** Requests that bring the same password while it is being verified wait for the same answer. */
  function verifyOnce(password: Secret, hash: string, digest: Buffer): Promise<boolean> {
    const question = `${digest.toString('base64')} ${hash}`
    let answer = verifying.get(question)
    if (answer === undefined) {
      answer = verifyPassword(password, hash).finally(() => verifying.delete(question))
      verifying.set(question, answer)
    }
    return answer
  }

  return async (password, hash) => {
    const digest = createHmac('sha256', key).update(password.reveal()).digest()
    const entry = known.get(hash)
    if (entry !== undefined && entry.until > monotonicMs() && timingSafeEqual(entry.digest, digest)) {
      return true
    }
    if (!(await verifyOnce(password, hash, digest))) return false
    if (known.size >= MEMORY_LIMIT) known.clear()
    known.set(hash, { until: monotonicMs() + MEMORY_MS, digest })
    return true
  }
}
