import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { StartupError, reasonOf } from './startup-error.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Printable characters without spaces; the gateway's setting has the same form. */
const FORM = /^[!-~]{32,128}$/

/**
 * The secret that gateways prove at sign-on: BANK_SECRET, else the content of BANK_SECRET_FILE,
 * which is made if it is missing. Null without both: a bank that plays an acquirer has none. Throws
 * StartupError with a sentence that does not contain the secret.
 */
export function readLinkSecret(environment: Environment): string | null {
  const given = environment['BANK_SECRET']?.trim() ?? ''
  if (given !== '') return checked(given, 'BANK_SECRET')
  const file = environment['BANK_SECRET_FILE']?.trim() ?? ''
  if (file === '') return null
  try {
    return checked(read(file) ?? make(file), file)
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(
      `The secret of the bank's links cannot be read or made at ${file}: ${reasonOf(error)}.`,
      { cause: error },
    )
  }
}

function checked(secret: string, place: string): string {
  if (FORM.test(secret)) return secret
  throw new StartupError(
    `${place} does not contain 32 to 128 printable characters without spaces. A removed file is ` +
      'made again at the next start.',
  )
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Written beside its place and linked there, so that no reader sees a part of it. */
function make(file: string): string {
  const secret = randomBytes(32).toString('hex')
  const draft = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  writeFileSync(draft, `${secret}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  try {
    linkSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
  return secret
}

/** The Authorization header for the books at the control API. */
export function booksAuthorization(secret: string): string {
  return `Bearer ${createHmac('sha256', secret).update('books').digest('hex')}`
}

/** Whether a request for the books carries the right header. */
export function mayReadBooks(header: string | undefined, secret: string): boolean {
  const [sent, right] = [Buffer.from(header ?? ''), Buffer.from(booksAuthorization(secret))]
  return sent.length === right.length && timingSafeEqual(sent, right)
}
