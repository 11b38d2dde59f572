import { refused, type Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import type { VerificationPlace } from '../../../usecases/logins/login-ports.ts'

export interface NewPasswordDeps {
  readonly enter: (address: string) => VerificationPlace
  readonly passwordFaults: (
    password: Secret,
    username: string,
    names: readonly string[],
  ) => string[]
  readonly hashPassword: (password: Secret, alongside?: string) => Promise<string>
  readonly matchPassword: (password: Secret, hashes: readonly string[]) => Promise<number>
}

/** The user who chooses a password: these names must not make up most of it. */
export interface PasswordOwner {
  readonly email: string
  readonly name: string
  readonly merchant: string
}

/** Judges a chosen password, and hashes it; `last`: those that it must not be. */
export async function hashNewPassword(
  deps: NewPasswordDeps,
  wanted: Secret,
  { email, name, merchant }: PasswordOwner,
  last: readonly string[],
  address: string,
): Promise<Result<{ readonly hash: string }>> {
  const faults = deps.passwordFaults(wanted, email, [name, merchant])
  if (faults.length > 0) return refused('invalid', faults.join(' '), { field: 'newPassword' })
  const place = deps.enter(address)
  try {
    return await place.run(async (): Promise<Result<{ readonly hash: string }>> => {
      if (last.length > 0 && (await deps.matchPassword(wanted, last)) !== -1) {
        return refused('invalid', 'The password is one of your last five. Choose another one.', {
          field: 'newPassword',
        })
      }
      return { ok: true, hash: await deps.hashPassword(wanted, last[0]) }
    })
  } finally {
    place.leave()
  }
}
