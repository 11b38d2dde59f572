import { randomBytes } from 'node:crypto'
import { Secret } from '../../base/secret.ts'
import { guessableFault } from '../../domain/logins/guessable-password.ts'

/** 192 bits, as 32 characters that need no escape in a form, a file or a shell. */
const GENERATED_BYTES = 24

/** A generated password. */
export function generatePassword(): Secret {
  for (;;) {
    const password = new Secret(randomBytes(GENERATED_BYTES).toString('base64url'))
    if (passwordFaults(password, '', []).length === 0) return password
  }
}

/**
 * The faults of a chosen password, in sentences that do not repeat it. `names`: those of the user
 * and the merchant, which a guesser tries first.
 */
export function passwordFaults(
  password: Secret,
  username: string,
  names: readonly string[],
): string[] {
  const text = password.reveal()
  if (!/^[!-~](?:[ -~]*[!-~])?$/.test(text) || text.length < 12 || text.length > 128) {
    return [
      'The password must have 12 to 128 letters, digits and signs of ASCII, without a blank at ' +
        `either end; ${text.length} characters came.`,
    ]
  }
  const faults: string[] = []
  if (!/[A-Za-z]/.test(text) || !/[0-9]/.test(text)) {
    faults.push('The password must have at least one letter and one digit.')
  }
  if (username !== '' && text.toLowerCase().includes(username.toLowerCase())) {
    faults.push('The password must not have the user name in it.')
  }
  if (faults.length > 0) return faults
  const guessable = guessableFault(text, [username, ...names])
  return guessable === null ? [] : [guessable]
}
