import { createHash, randomBytes } from 'node:crypto'
import { Secret } from '../../base/secret.ts'

const TOKEN_BYTES = 20
const SITE_KEY_BYTES = 32

/** 160 random bits as 40 upper-case hexadecimal digits, and what the database knows it by. */
export function newCardToken(): { readonly token: Secret; readonly hash: string } {
  const text = randomBytes(TOKEN_BYTES).toString('hex').toUpperCase()
  return { token: new Secret(text), hash: createHash('sha256').update(text).digest('hex') }
}

/** A secret for a site to sign its token requests with: 256 random bits as 43 characters. */
export function newSiteTokenKey(): Secret {
  return new Secret(randomBytes(SITE_KEY_BYTES).toString('base64url'))
}
