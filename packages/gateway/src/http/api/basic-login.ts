import { Secret } from '../../base/secret.ts'

export interface BasicLogin {
  readonly username: string
  readonly password: Secret
}

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i

/** User name and password of an Authorization header; null where there are none. */
export function readBasicLogin(header: string | undefined): BasicLogin | null {
  const [, encoded] = BASIC.exec(header ?? '') ?? []
  if (encoded === undefined) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 1) return null
  return { username: text.slice(0, colon), password: new Secret(text.slice(colon + 1)) }
}
