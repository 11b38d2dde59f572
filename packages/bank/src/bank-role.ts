import type { LinkServerTls } from '@tollgate/iso8583'
import { readFileSync } from 'node:fs'
import { readLinkSecret } from './link-secret.ts'
import { StartupError, reasonOf } from './startup-error.ts'

/** The differences between the bundled test bank and one that plays a live acquirer. */
export interface BankRole {
  readonly profile: 'house' | 'house-bcd'
  /** Null for links in plain text. */
  readonly tls: LinkServerTls | null
  /** Whether the published trigger and fault amounts have an effect. */
  readonly triggers: boolean
  /** DE 32 of the only institution that may sign on; null lets any. */
  readonly institutionId: string | null
  /** The secret that a sign-on proves; null needs none. Only the bundled bank has one. */
  readonly secret: string | null
}

/** The test bank: plain text, ASCII digits, trigger amounts, any acquirer. */
export const TEST_BANK: BankRole = {
  profile: 'house',
  tls: null,
  triggers: true,
  institutionId: null,
  secret: null,
}

/** Whether this is the test bank, and no bank that plays a live acquirer. */
export function isTestBank({ institutionId, profile, secret, tls, triggers }: BankRole): boolean {
  const isForGateways = institutionId === null || secret !== null
  return profile === 'house' && tls === null && triggers && isForGateways
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads BANK_PROFILE, BANK_TRIGGERS, BANK_INSTITUTION_ID, BANK_TLS_CERT, BANK_TLS_KEY and
 * BANK_TLS_CLIENT_CA. Throws StartupError with a sentence for each fault.
 */
export function readBankRole(environment: Environment): BankRole {
  const faults: string[] = []
  const setting = (name: string): string => environment[name]?.trim() ?? ''
  const choice = <const T extends string>(name: string, values: readonly [T, T]): T => {
    const text = setting(name) || values[0]
    const found = values.find((value) => value === text)
    if (found === undefined) faults.push(`${name} is "${text}"; it must be ${values.join(' or ')}.`)
    return found ?? values[0]
  }
  const pem = (name: string): string => {
    try {
      return readFileSync(setting(name), 'utf8')
    } catch (error) {
      faults.push(`${name} is ${setting(name)}, which cannot be read: ${reasonOf(error)}.`)
      return ''
    }
  }
  const profile = choice('BANK_PROFILE', ['house', 'house-bcd'])
  const triggers = choice('BANK_TRIGGERS', ['on', 'off']) === 'on'
  const institutionId = setting('BANK_INSTITUTION_ID') || null
  if (institutionId !== null && !/^[1-9][0-9]{0,10}$/.test(institutionId)) {
    faults.push(
      `BANK_INSTITUTION_ID is "${institutionId}"; it must be 1 to 11 digits, the first not 0.`,
    )
  }
  const given = ['BANK_TLS_CERT', 'BANK_TLS_KEY'].filter((name) => setting(name) !== '')
  if (given.length === 1 || (given.length === 0 && setting('BANK_TLS_CLIENT_CA') !== '')) {
    faults.push(
      'BANK_TLS_CERT and BANK_TLS_KEY belong together, and BANK_TLS_CLIENT_CA needs both.',
    )
  }
  const tls =
    given.length < 2
      ? null
      : {
          cert: pem('BANK_TLS_CERT'),
          key: pem('BANK_TLS_KEY'),
          clientCa: setting('BANK_TLS_CLIENT_CA') === '' ? null : pem('BANK_TLS_CLIENT_CA'),
        }
  if (faults.length > 0) throw new StartupError(faults.join('\n'))
  return { profile, tls, triggers, institutionId, secret: readLinkSecret(environment) }
}
