import {
  digits,
  list,
  oneOf,
  optional,
  since,
  text,
  uuid,
  valueOf,
  when,
  dsOwn,
} from './field-rule.ts'
import type { FieldRule, FieldRules } from './field-rule.ts'
import type { Message } from './protocol-fault.ts'

export const HEAD: FieldRules = { messageType: text(4, 4), messageVersion: text(5, 8) }

/**
 * Each extension is looked at by itself, since a critical one that is not known has its own code.
 */
export const EXTENSIONS: FieldRules = {
  messageExtension: optional(
    list((items) => items.length <= 10 && JSON.stringify(items).length <= 81_920),
  ),
}

export const isPayment = (message: Message): boolean => valueOf(message, 'messageCategory') !== '02'

export const category = (): FieldRule => oneOf('01 02', '', dsOwn)

/** 01 to 21, 22 to 26 since 2.2.0, and those of a Directory Server. */
export function statusReason(): FieldRule {
  const old = Array.from({ length: 21 }, (_, at) => String(at + 1).padStart(2, '0'))
  return oneOf(old.join(' '), '22 23 24 25 26', dsOwn)
}

/** Required with one of these statuses, and not there with any other. */
export const withStatus = (base: FieldRule, statuses: string): FieldRule =>
  when(base, (message) =>
    statuses.includes(valueOf(message, 'transStatus') || '-') ? 'required' : 'absent',
  )

export const TRUSTED_LIST: FieldRules = {
  whiteListStatus: since('2.2.0', optional(oneOf('Y N E P R U'))),
  whiteListStatusSource: since(
    '2.2.0',
    when(oneOf('01 02 03', '', dsOwn), (message) =>
      Object.hasOwn(message, 'whiteListStatus') ? 'optional' : 'absent',
    ),
  ),
}

export const THREE_IDS: FieldRules = {
  threeDSServerTransID: uuid(),
  dsTransID: uuid(),
  acsTransID: uuid(),
}

export const serialNumber = (): FieldRule => optional(text(1, 20))
export const protocolVersion = (): FieldRule => text(5, 8, /^\d+\.\d+\.\d+$/)
export const twoDigits = (): FieldRule => digits(2)
