import { randomBytes } from 'node:crypto'
import { Secret } from '../../base/secret.ts'

/** 192 bits, as 32 characters that need no escape in a form, a file or a shell. */
const GENERATED_BYTES = 24

/** A generated password. */
export function generatePassword(): Secret {
  for (;;) {
    const password = new Secret(randomBytes(GENERATED_BYTES).toString('base64url'))
    if (passwordFaults(password, '').length === 0) return password
  }
}

/** The faults of a chosen password, in sentences that do not repeat it. */
export function passwordFaults(password: Secret, username: string): string[] {
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
  return faults
}
