import {
  authenticationValue,
  digits,
  list,
  oneOf,
  optional,
  since,
  text,
  url,
  uuid,
  when,
} from './field-rule.ts'
import type { FieldRule, FieldRules } from './field-rule.ts'
import { AREQ, CREQ, EXTENSIONS, HEAD, PREQ, RREQ, statusReason } from './request-fields.ts'

const byStatus = (base: FieldRule, statuses: string) =>
  when(base, ({ message }) =>
    [...statuses].includes(String(message['transStatus'])) ? 'required' : 'absent',
  )

/** An ARes for a payment in the browser channel. */
export const ARES: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  threeDSServerTransID: uuid(),
  dsTransID: uuid(),
  acsTransID: uuid(),
  dsReferenceNumber: text(1, 32),
  acsReferenceNumber: text(1, 32),
  acsOperatorID: optional(text(1, 32)),
  transStatus: oneOf('Y N U A C R', 'D I'),
  transStatusReason: byStatus(statusReason(), 'NUR'),
  eci: optional(digits(2)),
  authenticationValue: when(authenticationValue(), ({ message }) => {
    if (message['transStatus'] === 'I') return 'optional'
    return ['Y', 'A'].includes(String(message['transStatus'])) ? 'required' : 'absent'
  }),
  acsURL: byStatus(url(2048), 'C'),
  acsChallengeMandated: byStatus(oneOf('Y N'), 'CD'),
  authenticationType: byStatus(oneOf('01 02 03', '04', /^[89][0-9]$/), 'CD'),
  acsDecConInd: since(
    '2.2.0',
    when(oneOf('Y N'), ({ message }) => (message['transStatus'] === 'D' ? 'required' : 'optional')),
  ),
  cardholderInfo: optional(text(1, 128)),
  whiteListStatus: since('2.2.0', optional(oneOf('Y N E P R U'))),
  whiteListStatusSource: since('2.2.0', optional(oneOf('01 02 03'))),
}

/** The last CRes, the only one that a browser carries. */
export const CRES: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  threeDSServerTransID: uuid(),
  acsTransID: uuid(),
  challengeCompletionInd: oneOf('Y'),
  transStatus: oneOf('Y N'),
}

export const RRES: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  threeDSServerTransID: uuid(),
  dsTransID: uuid(),
  acsTransID: uuid(),
  resultsStatus: oneOf('01 02 03'),
}

export const PRES: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  threeDSServerTransID: uuid(),
  dsTransID: uuid(),
  serialNum: optional(text(1, 20)),
  dsStartProtocolVersion: text(5, 8),
  dsEndProtocolVersion: text(5, 8),
  cardRangeData: optional(list((items) => items.length > 0)),
}

export const ERRO: FieldRules = {
  ...HEAD,
  threeDSServerTransID: optional(uuid()),
  dsTransID: optional(uuid()),
  acsTransID: optional(uuid()),
  errorCode: digits(3),
  errorComponent: oneOf('C S D A'),
  errorDescription: text(1, 2048),
  errorDetail: text(1, 2048),
  errorMessageType: optional(text(4, 4)),
}

/** The elements of every message by its type. */
export const MESSAGE_FIELDS = {
  AReq: AREQ,
  ARes: ARES,
  CReq: CREQ,
  CRes: CRES,
  Erro: ERRO,
  PReq: PREQ,
  PRes: PRES,
  RReq: RREQ,
  RRes: RRES,
} as const satisfies Readonly<Record<string, FieldRules>>

export type MessageType = keyof typeof MESSAGE_FIELDS
