import { holdsCardNumber } from '../../base/card-number-text.ts'
import { refused, type Refusal } from '../../base/refusal.ts'
import { idFault, namedById, nameFault } from './site-settings.ts'

/** The stored facts of a merchant that its administration decides by. */
export interface MerchantState {
  readonly name: string
  /** Null for a merchant that is enabled. */
  readonly disabled: {
    readonly at: Date
    /** The audit log's actor. */
    readonly by: string
    readonly reason: string
  } | null
}

/** There is no such merchant. */
export function noSuchMerchant(id: bigint): Refusal {
  const sentence = `${namedById('Merchant', id)} does not exist; "tollgate merchants" lists them.`
  return refused('missing', sentence)
}

/** Why a merchant cannot be created; null where it can. */
export function decideNewMerchant(wanted: {
  readonly id: bigint
  readonly name: string
  /** Whether another merchant has the id. */
  readonly isTaken: boolean
  readonly timeZone: string
  /** Whether the gateway and the database both know the zone. */
  readonly knowsTimeZone: boolean
}): Refusal | null {
  const faults = [
    idFault(wanted.id),
    nameFault(wanted.name),
    wanted.knowsTimeZone
      ? null
      : `The time zone ${wanted.timeZone} is not known. ` +
        'Expected an IANA name such as Europe/Berlin.',
  ].filter((fault) => fault !== null)
  if (faults.length > 0) return refused('invalid', faults)
  return wanted.isTaken
    ? refused('conflict', `Merchant ${wanted.id} exists already. Choose another id, or none.`)
    : null
}

/** Why a merchant cannot get this name; null where it can. */
export function decideNewName(id: bigint, before: string, name: string): Refusal | null {
  const fault = nameFault(name)
  if (fault !== null) return refused('invalid', fault, { field: 'name' })
  return before === name
    ? refused('conflict', `Merchant ${id} has the name ${name} already.`)
    : null
}

/** Why a merchant cannot be disabled for this reason; null where it can. */
export function decideDisabling(
  id: bigint,
  { disabled }: MerchantState,
  reason: string,
): Refusal | null {
  const fault = reasonFault(reason)
  if (fault !== null) return refused('invalid', fault, { field: 'reason' })
  if (disabled === null) return null
  const { at, by, reason: first } = disabled
  return refused(
    'conflict',
    `Merchant ${id} is disabled already: by ${by} at ${at.toISOString()}, "${first}".`,
  )
}

/** Why a merchant cannot be enabled; null where it can. */
export function decideEnabling(id: bigint, { disabled }: MerchantState): Refusal | null {
  return disabled === null ? refused('conflict', `Merchant ${id} is not disabled.`) : null
}

/** Why a text is no reason that may be stored, as a sentence; null where it is one. */
export function reasonFault(reason: string): string | null {
  const isPlain =
    reason.trim() === reason &&
    reason.length >= 3 &&
    reason.length <= 200 &&
    /^[\P{C}]*$/u.test(reason)
  if (!isPlain) {
    return 'The reason must have 3 to 200 characters in one line, without a blank at either end.'
  }
  return holdsCardNumber(reason, 'digits')
    ? 'The reason has 12 digits in a row, which could be a card number. Take digits out.'
    : null
}
