import {
  cavv,
  digits,
  dsOwn,
  list,
  object,
  oneOf,
  optional,
  since,
  text,
  url,
  uuid,
  valueOf,
  when,
} from './field-rule.ts'
import type { FieldRule, FieldRules } from './field-rule.ts'
import {
  category,
  EXTENSIONS,
  HEAD,
  isPayment,
  protocolVersion,
  serialNumber,
  statusReason,
  THREE_IDS,
  TRUSTED_LIST,
  twoDigits,
  withStatus,
} from './shared-fields.ts'

const statusOf = (message: Readonly<Record<string, unknown>>): string =>
  valueOf(message, 'transStatus')

/**
 * An ARes has no category, so its rules are those of a payment. For cards without a payment the
 * reader gets `messageCategory` of the AReq.
 */
const reason = (): FieldRule =>
  when(statusReason(), (message) =>
    !isPayment(message)
      ? 'optional'
      : ['N', 'U', 'R'].includes(statusOf(message))
        ? 'required'
        : 'absent',
  )

const value = (): FieldRule =>
  when(cavv(), (message) => {
    if (statusOf(message) === 'I') return 'optional'
    if (!['Y', 'A'].includes(statusOf(message))) return 'absent'
    return isPayment(message) ? 'required' : 'optional'
  })

/** A Directory Server's answer to an AReq of the browser channel. */
export const ARES: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  ...THREE_IDS,
  dsReferenceNumber: text(1, 32),
  acsReferenceNumber: text(1, 32),
  acsOperatorID: optional(text(1, 32)),
  transStatus: oneOf('Y N U A C R', 'D I'),
  transStatusReason: reason(),
  eci: optional(twoDigits()),
  authenticationValue: value(),
  acsURL: withStatus(url(2_048), 'C'),
  acsChallengeMandated: withStatus(oneOf('Y N'), 'CD'),
  authenticationType: withStatus(oneOf('01 02 03', '04', dsOwn), 'CD'),
  acsDecConInd: since(
    '2.2.0',
    when(oneOf('Y N'), (message) => (statusOf(message) === 'D' ? 'required' : 'optional')),
  ),
  cardholderInfo: optional(text(1, 128)),
  broadInfo: optional(object(4_096)),
  ...TRUSTED_LIST,
}

/** The result of a challenge. */
export const RREQ: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  ...THREE_IDS,
  messageCategory: category(),
  transStatus: oneOf('Y N U A R'),
  transStatusReason: reason(),
  eci: optional(twoDigits()),
  authenticationValue: value(),
  authenticationType: when(oneOf('01 02 03', '04', dsOwn), (message) =>
    ['Y', 'N'].includes(statusOf(message)) ? 'required' : 'optional',
  ),
  interactionCounter: digits(2),
  challengeCancel: when(oneOf('01 03 04 05 06 07 08'), (message) =>
    valueOf(message, 'transStatusReason') === '14' ? 'required' : 'optional',
  ),
  ...TRUSTED_LIST,
}

/** The last answer to a challenge, the only one that a browser carries. */
export const CRES: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  threeDSServerTransID: uuid(),
  acsTransID: uuid(),
  challengeCompletionInd: oneOf('Y'),
  transStatus: oneOf('Y N'),
}

/** Each item of `cardRangeData`. */
export const CARD_RANGE: FieldRules = {
  startRange: digits(13, 19),
  endRange: digits(13, 19),
  actionInd: optional(oneOf('A D M')),
  acsStartProtocolVersion: protocolVersion(),
  acsEndProtocolVersion: protocolVersion(),
  dsStartProtocolVersion: optional(protocolVersion()),
  dsEndProtocolVersion: optional(protocolVersion()),
  threeDSMethodURL: optional(url(256)),
  acsInfoInd: since(
    '2.2.0',
    optional(
      list((items) =>
        items.every((item) => typeof item === 'string' && /^(0[1-4]|[89][0-9])$/.test(item)),
      ),
    ),
  ),
}

export const PRES: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  threeDSServerTransID: uuid(),
  dsTransID: uuid(),
  serialNum: serialNumber(),
  dsStartProtocolVersion: protocolVersion(),
  dsEndProtocolVersion: optional(protocolVersion()),
  cardRangeData: optional(list((items) => items.length > 0)),
}

export const ERRO: FieldRules = {
  ...HEAD,
  threeDSServerTransID: optional(uuid()),
  dsTransID: optional(uuid()),
  acsTransID: optional(uuid()),
  errorCode: digits(3),
  errorComponent: oneOf('C S D A'),
  errorDescription: text(1, 2_048),
  errorDetail: text(1, 2_048),
  errorMessageType: optional(text(4, 4)),
}
