import { createHash, randomBytes } from 'node:crypto'
import { Secret as OtpSecret, TOTP } from 'otpauth'
import { Secret } from '../../base/secret.ts'

// RFC 6238 as every app for it does it: SHA-1, six digits, 30 seconds.
const PERIOD_S = 30
const CODE = { algorithm: 'SHA1', digits: 6, period: PERIOD_S } as const
/** 160 bits, the length that RFC 4226 advises; 32 letters and digits. */
const SECRET_BYTES = 20
/** Clocks may be apart by one step, before or behind. */
const STEPS_APART = 1
const RECOVERY_CODES = 10
/** 80 bits: too many to try, so that a plain digest keeps them. */
const RECOVERY_BYTES = 10

export interface GeneratedSecondFactor {
  /** In base32. */
  readonly secret: Secret
  /** `otpauth://…`, for the picture that an app scans. It holds the secret. */
  readonly uri: Secret
}

/** A new secret of one-time codes, named after the portal user in their app. */
export function generateSecondFactor(email: string): GeneratedSecondFactor {
  const secret = new OtpSecret({ size: SECRET_BYTES })
  const totp = new TOTP({ ...CODE, issuer: 'Tollgate', label: email, secret })
  return { secret: new Secret(secret.base32), uri: new Secret(totp.toString()) }
}

/**
 * The time step of which the code is; null when it is none of the present one or those beside it.
 */
export function codeStep(secret: Secret, code: string, now: Date): bigint | null {
  const totp = new TOTP({ ...CODE, secret: OtpSecret.fromBase32(secret.reveal()) })
  const timestamp = now.getTime()
  const apart = totp.validate({ token: code, timestamp, window: STEPS_APART })
  return apart === null ? null : BigInt(Math.floor(timestamp / 1_000 / PERIOD_S) + apart)
}

/** Codes for who lost the device, as they are written down, and their digests. */
export function generateRecoveryCodes(): {
  readonly codes: readonly string[]
  readonly digests: readonly Buffer[]
} {
  const plain = Array.from(
    { length: RECOVERY_CODES },
    () => new OtpSecret({ buffer: Uint8Array.from(randomBytes(RECOVERY_BYTES)).buffer }).base32,
  )
  return {
    codes: plain.map((code) => code.replace(/(.{4})(?=.)/g, '$1-')),
    digests: plain.map((code) => createHash('sha256').update(code).digest()),
  }
}
