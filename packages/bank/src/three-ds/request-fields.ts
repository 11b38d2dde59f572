import { decimalsOf } from '../issuer/currencies.ts'
import {
  also,
  coded,
  digits,
  list,
  object,
  oneOf,
  optional,
  since,
  text,
  trueOrFalse,
  url,
  uuid,
  when,
} from './field-rule.ts'
import type { FieldRule, FieldRules, Leg, Situation } from './field-rule.ts'
import { isCountry, isCurrency } from './iso-codes.ts'

const WEB = ['https:', 'http:']

const isPayment = ({ message }: Situation) => message['messageCategory'] === '01'
const forPayment = (base: FieldRule) =>
  when(base, (at) => (isPayment(at) ? 'required' : 'optional'))
const onLeg = (base: FieldRule, wanted: Leg) =>
  when(base, ({ leg }) => (leg === wanted ? 'required' : 'absent'))
/** Only where another element has one of these values. */
const only = (base: FieldRule, name: string, values: readonly string[]) =>
  when(base, ({ message }) => (values.includes(String(message[name])) ? 'required' : 'absent'))

/** Required by 2.1, and by 2.2 for a browser that runs JavaScript. */
const ofScript = (base: FieldRule) =>
  when(base, ({ message, version }) =>
    version === '2.1.0' || message['browserJavascriptEnabled'] === true ? 'required' : 'optional',
  )

const isDay = (value: string) => {
  const [year, month, day] = [value.slice(0, 4), value.slice(4, 6), value.slice(6, 8)].map(Number)
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day ?? 0))
  return date.getUTCMonth() + 1 === month && date.getUTCDate() === day
}
const isTime = (value: string) =>
  isDay(value) && value.slice(8, 10) < '24' && value.slice(10, 12) < '60' && value.slice(12) < '60'

const country = () => coded(digits(3), isCountry, '304')
const phone = () => optional(object({ cc: digits(1, 3), subscriber: digits(1, 15) }))
/** The characters of EMV Book 4, appendix B: the printable ones of ISO 8859. */
const NAME = /^[\u0020-\u007e\u00a0-\u00ff]+$/

function address(prefix: 'billAddr' | 'shipAddr'): FieldRules {
  const line = optional(text(1, 50))
  return {
    [`${prefix}City`]: line,
    [`${prefix}Line1`]: line,
    [`${prefix}Line2`]: line,
    [`${prefix}Line3`]: line,
    [`${prefix}Country`]: when(country(), ({ message }) =>
      message[`${prefix}State`] === undefined ? 'optional' : 'required',
    ),
    [`${prefix}State`]: optional(text(1, 3)),
    [`${prefix}PostCode`]: optional(text(1, 16)),
  }
}

export const HEAD: FieldRules = {
  messageType: text(4, 4),
  messageVersion: text(5, 8),
}

export const EXTENSIONS: FieldRules = {
  messageExtension: optional(
    list((items) => items.length <= 10 && JSON.stringify(items).length <= 81_920),
  ),
}

/** An AReq of the browser channel. */
export const AREQ: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  messageCategory: oneOf('01 02', '', /^[89][0-9]$/),
  deviceChannel: oneOf('02'),
  threeDSServerTransID: uuid(),
  threeDSServerRefNumber: text(1, 32),
  threeDSServerOperatorID: optional(text(1, 32)),
  threeDSServerURL: url(2048),
  threeDSRequestorID: text(1, 35),
  threeDSRequestorName: text(1, 40),
  threeDSRequestorURL: url(2048, WEB),
  threeDSRequestorAuthenticationInd: oneOf('01 02 03 04 05 06', '', /^[89][0-9]$/),
  threeDSRequestorChallengeInd: optional(oneOf('01 02 03 04', '05 06 07 08 09', /^[89][0-9]$/)),
  threeDSCompInd: oneOf('Y N U'),
  threeDSRequestorDecReqInd: since('2.2.0', optional(oneOf('Y N'))),
  threeDSRequestorDecMaxTime: since(
    '2.2.0',
    when(
      also(digits(1, 5), (value) => Number(value) >= 1 && Number(value) <= 10_080),
      (at) => (at.message['threeDSRequestorDecReqInd'] === 'Y' ? 'optional' : 'absent'),
    ),
  ),
  threeDSRequestorAuthenticationInfo: optional(object()),
  threeDSRequestorPriorAuthenticationInfo: optional(object()),
  acctNumber: digits(13, 19),
  cardExpiryDate: optional(text(4, 4, /^[0-9]{2}(0[1-9]|1[0-2])$/)),
  acctType: optional(oneOf('01 02 03', '', /^[89][0-9]$/)),
  acctID: optional(text(1, 64)),
  acctInfo: optional(object()),
  acquirerBIN: forPayment(text(1, 11)),
  acquirerMerchantID: forPayment(text(1, 35)),
  mcc: forPayment(coded(digits(4), (value) => value !== '0000', '306')),
  merchantCountryCode: forPayment(country()),
  merchantName: forPayment(text(1, 40)),
  purchaseAmount: forPayment(digits(1, 48)),
  purchaseCurrency: forPayment(coded(digits(3), isCurrency, '304')),
  purchaseExponent: forPayment(
    coded(
      digits(1),
      (value, { message }) => {
        const currency = String(message['purchaseCurrency'])
        return !isCurrency(currency) || Number(value) === decimalsOf(currency)
      },
      '304',
    ),
  ),
  purchaseDate: forPayment(also(digits(14), isTime)),
  transType: optional(oneOf('01 03 10 11 28')),
  recurringExpiry: only(also(digits(8), isDay), 'threeDSRequestorAuthenticationInd', ['02', '03']),
  recurringFrequency: only(digits(1, 4), 'threeDSRequestorAuthenticationInd', ['02', '03']),
  purchaseInstalData: only(
    also(digits(1, 3), (value) => Number(value) > 1),
    'threeDSRequestorAuthenticationInd',
    ['03'],
  ),
  browserAcceptHeader: text(1, 2048),
  browserUserAgent: text(1, 2048),
  browserLanguage: text(1, 8, /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/),
  browserJavascriptEnabled: since('2.2.0', trueOrFalse()),
  browserJavaEnabled: ofScript(trueOrFalse()),
  browserColorDepth: ofScript(oneOf('1 4 8 15 16 24 32 48')),
  browserScreenHeight: ofScript(digits(1, 6)),
  browserScreenWidth: ofScript(digits(1, 6)),
  browserTZ: ofScript(text(1, 5, /^-?[0-9]+$/)),
  browserIP: optional(
    text(7, 45, /^(\d{1,3}(\.\d{1,3}){3}|[0-9A-Fa-f]{1,4}(:[0-9A-Fa-f]{1,4}){7})$/),
  ),
  notificationURL: url(256, WEB),
  ...address('billAddr'),
  ...address('shipAddr'),
  addrMatch: optional(oneOf('Y N')),
  email: optional(text(3, 254, /^[^\s@]+@[^\s@]+$/)),
  homePhone: phone(),
  mobilePhone: phone(),
  workPhone: phone(),
  cardholderName: optional(text(2, 45, NAME)),
  merchantRiskIndicator: optional(object()),
  payTokenInd: optional({ ...trueOrFalse(), accepts: (value) => value === true }),
  payTokenSource: since('2.2.0', optional(oneOf('01 02'))),
  whiteListStatus: since('2.2.0', optional(oneOf('Y N'))),
  whiteListStatusSource: since('2.2.0', optional(oneOf('01 02'))),
  dsReferenceNumber: onLeg(text(1, 32), 'to_acs'),
  dsTransID: onLeg(uuid(), 'to_acs'),
  dsURL: onLeg(url(2048), 'to_acs'),
}

export const PREQ: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  threeDSServerTransID: uuid(),
  threeDSServerRefNumber: text(1, 32),
  threeDSServerOperatorID: optional(text(1, 32)),
  serialNum: optional(text(1, 20)),
}

export const CREQ: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  threeDSServerTransID: uuid(),
  acsTransID: uuid(),
  challengeWindowSize: oneOf('01 02 03 04 05'),
}

/** An RReq; its status decides what comes with it. */
export const RREQ: FieldRules = {
  ...HEAD,
  ...EXTENSIONS,
  threeDSServerTransID: uuid(),
  dsTransID: uuid(),
  acsTransID: uuid(),
  messageCategory: oneOf('01 02', '', /^[89][0-9]$/),
  transStatus: oneOf('Y N U A R'),
  transStatusReason: when(statusReason(), (at) => {
    if (!isPayment(at)) return 'optional'
    return only(statusReason(), 'transStatus', ['N', 'U', 'R']).presence(at)
  }),
  authenticationValue: when(
    text(28, 28, /^[A-Za-z0-9+/]{26}[AEIMQUYcgkosw048]=$/),
    ({ message }) => {
      if (!['Y', 'A'].includes(String(message['transStatus']))) return 'absent'
      return message['messageCategory'] === '01' ? 'required' : 'optional'
    },
  ),
  eci: optional(digits(2)),
  authenticationType: when(oneOf('01 02 03', '04', /^[89][0-9]$/), ({ message }) =>
    ['Y', 'N'].includes(String(message['transStatus'])) ? 'required' : 'optional',
  ),
  authenticationMethod: when(oneOf('01 02 03 04 05 06 07 08 09 10', '', /^[89][0-9]$/), (at) =>
    at.leg === 'to_ds' ? 'optional' : 'absent',
  ),
  interactionCounter: digits(2),
  challengeCancel: when(oneOf('01 03 04 05 06 07 08'), ({ message }) =>
    message['transStatusReason'] === '14' ? 'required' : 'optional',
  ),
  whiteListStatus: since('2.2.0', optional(oneOf('Y N E P R U'))),
  whiteListStatusSource: since('2.2.0', optional(oneOf('01 02 03'))),
}

/** The reason for a status other than Y: 22 to 26 came with 2.2. */
export function statusReason(): FieldRule {
  const old = Array.from({ length: 21 }, (_, index) => String(index + 1).padStart(2, '0'))
  return oneOf(old.join(' '), '22 23 24 25 26', /^[89][0-9]$/)
}
