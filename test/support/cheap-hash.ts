import { hashPassword } from '../../packages/gateway/src/adapters/credentials/password-hash.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'

/** Less than a hundredth of the usual costs, in a hash that is none of any password. */
const CHEAP = '$argon2id$v=19$m=256,t=1,p=1$Zml4dHVyZXMgYWxvbmU$AAAA'

/**
 * The hash of a fixture's password, for tests with another subject. It carries its costs, so that
 * the gateway verifies it as cheaply. The user's next password takes the same costs.
 */
export function cheapHash(password: string): Promise<string> {
  return hashPassword(new Secret(password), CHEAP)
}
