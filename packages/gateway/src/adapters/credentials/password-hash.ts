import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Secret } from '../../base/secret.ts'

const derive = promisify(argon2)

/** OWASP's recommendation for argon2id, November 2026: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const TAG_BYTES = 32

/**
 * A hash in the usual text form of Argon2, `$argon2id$v=19$m=…,t=…,p=…$salt$hash` for instance.
 * Another hash of the same user may supply salt and costs, so that matchPassword computes once for
 * both.
 */
export async function hashPassword(password: Secret, alongside?: string): Promise<string> {
  const shared = alongside === undefined ? null : readHash(alongside)
  const costs = shared ?? {
    memory: MEMORY_KIB,
    passes: PASSES,
    lanes: LANES,
    salt: base64(randomBytes(16)),
  }
  return textOf(costs, base64(await deriveTag(password, costs)))
}

/**
 * The position of the hash that the password has, -1 when none does or can be read. Takes tens of
 * milliseconds by design, and as long for one hash as for several with one salt.
 */
export async function matchPassword(password: Secret, hashes: readonly string[]): Promise<number> {
  const tags = new Map<string, Promise<Buffer>>()
  let found = -1
  for (const [at, hash] of hashes.entries()) {
    const read = readHash(hash)
    if (read === null) continue
    const how = textOf(read, '')
    const deriving = tags.get(how) ?? deriveTag(password, read)
    tags.set(how, deriving)
    const actual = await deriving
    const expected = Buffer.from(read.tag, 'base64')
    if (expected.length === actual.length && timingSafeEqual(expected, actual)) found = at
  }
  return found
}

interface Costs {
  readonly memory: number
  readonly passes: number
  readonly lanes: number
  /** Base64 without padding. */
  readonly salt: string
}

function readHash(hash: string): (Costs & { readonly tag: string }) | null {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash)
  if (match === null) return null
  const [, memory, passes, lanes, salt = '', tag = ''] = match
  return { memory: Number(memory), passes: Number(passes), lanes: Number(lanes), salt, tag }
}

function textOf({ memory, passes, lanes, salt }: Costs, tag: string): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${lanes}$${salt}$${tag}`
}

function deriveTag(password: Secret, { memory, passes, lanes, salt }: Costs): Promise<Buffer> {
  return derive('argon2id', {
    message: password.reveal(),
    nonce: Buffer.from(salt, 'base64'),
    memory,
    passes,
    parallelism: lanes,
    tagLength: TAG_BYTES,
  })
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
