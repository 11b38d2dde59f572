import { refused, type Result } from '../../../base/refusal.ts'
import type { Secret } from '../../../base/secret.ts'
import type { SignInUser } from './sign-in-ports.ts'

/** A second factor that is not set yet. */
export interface NewSecondFactor {
  /** For users who cannot scan: 32 letters and digits. */
  readonly secret: Secret
  /** The content of the picture, for the authenticator app. */
  readonly uri: Secret
  /** The secret as only the gateway reads it, to be sent back with a first code. */
  readonly sealed: string
}

export interface SealedSecondFactor {
  readonly ciphertext: Buffer
  readonly dataKeyId: number
  /** Of the code that proved it. */
  readonly step: bigint
}

/** Codes to be shown once, and what they are found by. */
export interface RecoveryCodes {
  readonly codes: readonly string[]
  readonly digests: readonly Buffer[]
}

/** Makes second factors, and proves that a user has one. */
export interface SecondFactors {
  make(user: SignInUser): Promise<NewSecondFactor>
  /** Null when the code is wrong, or the sealed text is not this user's. */
  prove(userId: bigint, sealed: string, code: string): Promise<SealedSecondFactor | null>
}

/** Proves a second factor with its first code, and makes the recovery codes that go with it. */
export async function proveSecondFactor(
  deps: {
    readonly secondFactor: SecondFactors
    readonly makeRecoveryCodes: () => RecoveryCodes
  },
  userId: bigint,
  { sealed, code }: { readonly sealed: string; readonly code: string },
): Promise<Result<{ readonly factor: SealedSecondFactor } & RecoveryCodes>> {
  const factor = await deps.secondFactor.prove(userId, sealed, code.replace(/\s/g, ''))
  if (factor === null) {
    return refused('invalid', 'The code is wrong. Check that the time on your device is correct.', {
      field: 'code',
      code: 'wrong_code',
    })
  }
  return { ok: true, factor, ...deps.makeRecoveryCodes() }
}
