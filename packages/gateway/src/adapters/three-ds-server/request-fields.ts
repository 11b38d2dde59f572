import { currencyByNumeric } from '../../domain/currency.ts'
import {
  also,
  bool,
  digits,
  dsOwn,
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
import { isCountryNumber } from './iso-countries.ts'
import { category, HEAD, isPayment, serialNumber, THREE_IDS } from './shared-fields.ts'

const WEB = ['https:', 'http:']

const forPayment = (base: FieldRule): FieldRule =>
  when(base, (message) => (isPayment(message) ? 'required' : 'optional'))

/** Of recurring payments and instalments only. */
const ofSeries = (base: FieldRule, kinds: string): FieldRule =>
  when(base, (message) =>
    kinds.includes(valueOf(message, 'threeDSRequestorAuthenticationInd') || '-')
      ? 'required'
      : 'absent',
  )

/**
 * Values that only a script can read: always present in 2.1.0, and since 2.2.0 if the browser has
 * scripts.
 */
const ofScript = (base: FieldRule): FieldRule =>
  when(base, (message) =>
    message['messageVersion'] === '2.1.0' || message['browserJavascriptEnabled'] === true
      ? 'required'
      : 'optional',
  )

const country = (): FieldRule => also(digits(3), isCountryNumber, '304')
const DAY = /^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/
const TIME = /^\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])([0-5]\d){2}$/

function phone(): FieldRule {
  const parts: FieldRules = { cc: digits(1, 3), subscriber: digits(1, 15) }
  const base = object(64)
  return optional({
    ...base,
    fault: (value, version, message) => {
      const wrong = base.fault(value, version, message)
      if (wrong !== null) return wrong
      const entries = Object.entries(value as object)
      const isWhole =
        entries.length === 2 &&
        entries.every(([name, part]) => parts[name]?.fault(part, version, message) === null)
      return isWhole ? null : '203'
    },
  })
}

function address(prefix: 'billAddr' | 'shipAddr'): FieldRules {
  const line = (): FieldRule => optional(text(1, 50))
  return {
    [`${prefix}City`]: line(),
    [`${prefix}Line1`]: line(),
    [`${prefix}Line2`]: line(),
    [`${prefix}Line3`]: line(),
    [`${prefix}Country`]: when(country(), (message) =>
      Object.hasOwn(message, `${prefix}State`) ? 'required' : 'optional',
    ),
    [`${prefix}State`]: optional(text(1, 3)),
    [`${prefix}PostCode`]: optional(text(1, 16)),
  }
}

/** The values that this gateway can send in an AReq; any other is an internal error. */
export const AREQ: FieldRules = {
  ...HEAD,
  messageCategory: category(),
  deviceChannel: oneOf('02'),
  threeDSServerTransID: uuid(),
  threeDSServerRefNumber: text(1, 32),
  threeDSServerOperatorID: optional(text(1, 32)),
  threeDSServerURL: url(2_048),
  threeDSRequestorID: text(1, 35),
  threeDSRequestorName: text(1, 40),
  threeDSRequestorURL: url(2_048, WEB),
  threeDSRequestorAuthenticationInd: oneOf('01 02 03 04 05 06'),
  threeDSRequestorChallengeInd: optional(oneOf('01 02 03 04', '05 06 07 08 09', dsOwn)),
  threeDSCompInd: oneOf('Y N U'),
  acctNumber: digits(13, 19),
  cardExpiryDate: optional(text(4, 4, /^\d\d(0[1-9]|1[0-2])$/)),
  acctID: optional(text(1, 64)),
  acquirerBIN: forPayment(text(1, 11)),
  acquirerMerchantID: forPayment(text(1, 35)),
  mcc: forPayment(digits(4)),
  merchantCountryCode: forPayment(country()),
  merchantName: forPayment(text(1, 40)),
  purchaseAmount: forPayment(digits(1, 48)),
  purchaseCurrency: forPayment(
    also(digits(3), (value) => currencyByNumeric(value) !== null, '304'),
  ),
  purchaseExponent: forPayment(
    also(
      digits(1),
      (value, message) =>
        currencyByNumeric(valueOf(message, 'purchaseCurrency'))?.digits === Number(value),
      '304',
    ),
  ),
  purchaseDate: forPayment(text(14, 14, TIME)),
  transType: optional(oneOf('01 03 10 11 28')),
  recurringExpiry: ofSeries(text(8, 8, DAY), '02 03'),
  recurringFrequency: ofSeries(digits(1, 4), '02 03'),
  browserAcceptHeader: text(1, 2_048),
  browserUserAgent: text(1, 2_048),
  browserLanguage: text(1, 8, /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/),
  browserJavascriptEnabled: since('2.2.0', bool()),
  browserJavaEnabled: ofScript(bool()),
  browserColorDepth: ofScript(oneOf('1 4 8 15 16 24 32 48')),
  browserScreenHeight: ofScript(digits(1, 6)),
  browserScreenWidth: ofScript(digits(1, 6)),
  browserTZ: ofScript(text(1, 5, /^-?\d+$/)),
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
  cardholderName: optional(text(2, 45, /^[\x20-\x7e]+$/)),
}

export const PREQ: FieldRules = {
  ...HEAD,
  threeDSServerTransID: uuid(),
  threeDSServerRefNumber: text(1, 32),
  threeDSServerOperatorID: optional(text(1, 32)),
  serialNum: serialNumber(),
}

export const RRES: FieldRules = { ...HEAD, ...THREE_IDS, resultsStatus: oneOf('01 02 03') }

export const CREQ: FieldRules = {
  ...HEAD,
  threeDSServerTransID: uuid(),
  acsTransID: uuid(),
  challengeWindowSize: oneOf('01 02 03 04 05'),
}
