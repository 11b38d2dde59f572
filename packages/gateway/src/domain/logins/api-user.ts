import { changedMeanwhile, refused, type Refusal, type Result } from '../../base/refusal.ts'
import { nameWithoutCards } from './caller-name.ts'

/** `idle`: refused because it was not used for API_USER_IDLE_DAYS. */
export type ApiUserState = 'enabled' | 'disabled' | 'idle'

/** A password of an API user as it is stored. Two work at a time, each in a place of its own. */
export interface StoredPassword {
  readonly number: number
  readonly place: number
  readonly hash: string
  readonly isRetired: boolean
}

/** The slot that a new password takes. */
export interface NewPasswordPlace {
  readonly number: number
  readonly place: 1 | 2
  /**
   * The hash of the password that works already, which the new one is made to match; null: none.
   */
  readonly alongside: string | null
}

/** A password is none of the last so many of its user. */
const REMEMBERED = 4
const MOST_NETWORKS = 100

export function stateOf(user: { readonly active: boolean; readonly idle: boolean }): ApiUserState {
  if (!user.active) return 'disabled'
  return user.idle ? 'idle' : 'enabled'
}

/**
 * The name of an API user that a portal user makes. No other merchant has its ending, so a refusal
 * shows nothing about the API users of others.
 */
export function nameOfMerchant(name: string, merchantId: bigint): string {
  const ending = `#${merchantId}`
  return name.endsWith(ending) ? name : name + ending
}

/**
 * Why no user of this name may be made for the merchant; null for nothing. `merchants`: that one,
 * where there is it, and the first of the others.
 */
export function decideNewUser(
  name: string,
  merchantId: bigint,
  merchants: readonly { readonly id: bigint; readonly name: string }[],
): Refusal | null {
  const faults = nameFaults(name)
  const [, ending] = /#([0-9]+)$/.exec(name) ?? []
  if (ending !== undefined && ending !== merchantId.toString()) {
    faults.push('The name of an API user must not end with # and the number of another merchant.')
  }
  if (!merchants.some(({ id }) => id === merchantId)) {
    const known = merchants.map(({ id, name }) => `${id} (${name})`).join(', ')
    faults.push(`There is no merchant ${merchantId}. There are: ${known || 'none yet'}.`)
  }
  return faults.length > 0 ? refused('invalid', faults, { field: 'name' }) : null
}

/** The name of a user is used once, over all merchants. */
export function nameInUse(name: string): Refusal {
  return refused('conflict', `There is an API user ${name} already. Names are used once.`, {
    field: 'name',
  })
}

/** No such user exists; the name may be any text that a caller typed. */
export function noSuchUser(name: string, users: number): Refusal {
  return refused(
    'missing',
    `There is no API user ${nameWithoutCards(name)} among ${users}; "tollgate users" lists them.`,
  )
}

/**
 * The slot for a new password; refused while two passwords are valid. `passwords`: all, newest
 * first.
 */
export function decideNewPassword(
  name: string,
  passwords: readonly StoredPassword[],
): Result<NewPasswordPlace> {
  const live = passwords.filter(({ isRetired }) => !isRetired)
  if (live.length > 1) {
    const numbers = live.map(({ number }) => number).toReversed()
    return refused(
      'conflict',
      `${name} has two live passwords already, numbers ${numbers.join(' and ')}, the most there can be. ` +
        'Retire the one that is not used any more first.',
      { code: 'two_passwords' },
    )
  }
  const [working] = live
  return {
    ok: true,
    number: (passwords[0]?.number ?? 0) + 1,
    place: working?.place === 1 ? 2 : 1,
    alongside: working?.hash ?? null,
  }
}

/** The hashes that a new password must not match. `passwords`: all, newest first. */
export function rememberedHashes(passwords: readonly StoredPassword[]): readonly string[] {
  return passwords.slice(0, REMEMBERED).map(({ hash }) => hash)
}

/** The password that was given is one of those that are remembered. */
export function usedBefore(name: string): Refusal {
  return refused(
    'invalid',
    `The password is one of the last ${REMEMBERED} of ${name}. Choose another one.`,
  )
}

/** The passwords changed while a new one was hashed. */
export function passwordsChanged(name: string): Refusal {
  return changedMeanwhile(`The passwords of ${name} were changed by another user meanwhile.`)
}

/** Numbers of those that work once `number` is retired, refused where it does not work now. */
export function decideRetirement(
  name: string,
  passwords: readonly StoredPassword[],
  number: number,
): Result<{ readonly live: number[] }> {
  const live = passwords
    .filter(({ isRetired }) => !isRetired)
    .map((password) => password.number)
    .toSorted((a, b) => a - b)
  if (live.includes(number)) return { ok: true, live: live.filter((other) => other !== number) }
  const has = live.length === 0 ? 'no live password' : `live passwords: ${live.join(', ')}`
  return refused('missing', `${name} has no live password ${number}; it has ${has}.`)
}

/** Why the user cannot be enabled, or disabled; null for nothing. */
export function decideActive(name: string, state: ApiUserState, active: boolean): Refusal | null {
  return state === (active ? 'enabled' : 'disabled')
    ? refused('conflict', `${name} is ${state} already.`)
    : null
}

/** Why the right may not be given or taken; null for nothing. */
export function decideReadsApi(name: string, before: boolean, after: boolean): Refusal | null {
  if (before !== after) return null
  return refused(
    'conflict',
    `The right of ${name} to read events is ${after ? 'on' : 'off'} already.`,
  )
}

/**
 * Why the networks may not be replaced; null for nothing. `seen`: null for a caller who saw none.
 */
export function decideNetworks(
  name: string,
  before: readonly string[],
  seen: readonly string[] | null,
): Refusal | null {
  return seen === null || seen.join() === before.join()
    ? null
    : changedMeanwhile(`The networks of ${name} were changed by another user meanwhile.`)
}

/**
 * Each network costs a query, so their number is judged first; null where they are not too many.
 */
export function decideNetworkCount(count: number): Refusal | null {
  if (count <= MOST_NETWORKS) return null
  const fault = `${count} networks were named; at most ${MOST_NETWORKS} are kept.`
  return refused('invalid', fault, { field: 'networks' })
}

/**
 * Networks as the database stores them, each once: `192.0.2.7` is `192.0.2.7/32`. `read`: what was
 * typed, and the network that it is; null for none.
 */
export function decideNetworkList(
  read: readonly { readonly text: string; readonly network: string | null }[],
): Result<{ readonly networks: string[] }> {
  const faults = read
    .filter(({ network }) => network === null)
    .map(
      ({ text }) =>
        `"${text}" is no network. Expected an address such as 192.0.2.7 or 2001:db8::7, or a network ` +
        'whose address ends where its length says, such as 192.0.2.0/24.',
    )
  if (faults.length > 0) return refused('invalid', faults, { field: 'networks' })
  return { ok: true, networks: [...new Set(read.flatMap(({ network }) => network ?? []))] }
}

function nameFaults(name: string): string[] {
  if (/^[!-~]{3,64}$/.test(name) && nameWithoutCards(name) === name) return []
  return [
    'A user name must have 3 to 64 letters, digits and signs of ASCII, without blanks. It must ' +
      'not have 12 digits in a row, which could be a card number.',
  ]
}

/**
 * Why the portal user may not make a password of an API user; null if they may. Programs refund
 * without a limit.
 */
export function decidePasswordMaker(hasRefundLimit: boolean): Refusal | null {
  if (!hasRefundLimit) return null
  const sentence =
    'You have a refund limit, and the password of an API user refunds without one. ' +
    'Ask an owner or admin without a refund limit to create it.'
  return refused('forbidden', sentence, { code: 'refund_limit' })
}
