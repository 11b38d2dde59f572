import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Secret } from '../../base/secret.ts'

/** Reads the secret of the bundled bank's links; null while there is none. */
export type ReadBankSecret = () => string | null

/**
 * The secret that the bundled bank shares with its gateways: the setting, else the file that the
 * bank makes in its folder. It is read for each use, since a bank may start after its gateway.
 */
export function bankSecretOf({
  bankSecret,
  dataDir,
}: {
  readonly bankSecret: Secret | null
  readonly dataDir: string
}): ReadBankSecret {
  return () => {
    if (bankSecret !== null) return bankSecret.reveal()
    try {
      return readFileSync(join(dataDir, 'bank', 'link-secret'), 'utf8').trim()
    } catch {
      // Without it the bank refuses the sign-on, and says so; a bank of the tests has none.
      return null
    }
  }
}

/** The Authorization header with which the bank's control API shows its books. */
export function booksHeaders(readSecret: ReadBankSecret): Readonly<Record<string, string>> {
  const secret = readSecret()
  if (secret === null) return {}
  const proof = createHmac('sha256', secret).update('books').digest('hex')
  return { authorization: `Bearer ${proof}` }
}
