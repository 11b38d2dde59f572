import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Secret } from '../../base/secret.ts'

const derive = promisify(argon2)

/** OWASP's recommendation for argon2id, November 2026: 19 MiB, two passes, one lane. */
const MEMORY_KIB = 19_456
const PASSES = 2
const LANES = 1
const TAG_BYTES = 32

/** A hash in the usual text form: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
export async function hashPassword(password: Secret): Promise<string> {
  const salt = randomBytes(16)
  const tag = await deriveTag(password, salt, MEMORY_KIB, PASSES, LANES)
  return `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=${LANES}$${base64(salt)}$${base64(tag)}`
}

/** Takes tens of milliseconds by design. False for a hash it can't read. */
export async function verifyPassword(password: Secret, hash: string): Promise<boolean> {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(hash)
  if (match === null) return false
  const [, memory = '', passes = '', lanes = '', salt = '', tag = ''] = match
  const expected = Buffer.from(tag, 'base64')
  const actual = await deriveTag(
    password,
    Buffer.from(salt, 'base64'),
    Number(memory),
    Number(passes),
    Number(lanes),
  )
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}

function deriveTag(
  password: Secret,
  nonce: Buffer,
  memory: number,
  passes: number,
  parallelism: number,
): Promise<Buffer> {
  return derive('argon2id', {
    message: password.reveal(),
    nonce,
    memory,
    passes,
    parallelism,
    tagLength: TAG_BYTES,
  })
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '')
}
