import {
  CARDHOLDER_NAME,
  COUNTRY,
  CURRENCY,
  PHONE,
  UUID,
  address,
  digits,
  has,
  hasNone,
  message,
  oneOf,
  pattern,
  text,
  whereThen,
  type Schema,
} from './elements.ts'

/** Elements of a browser that runs scripts, which one without scripts may lack. */
const SCRIPTED = [
  'browserJavaEnabled',
  'browserColorDepth',
  'browserScreenHeight',
  'browserScreenWidth',
  'browserTZ',
] as const

/** As the one who asks sends it; the Directory Server adds three elements on its way on. */
export function authenticationRequest(version: '2.1.0' | '2.2.0', isMasked: boolean): Schema {
  const isOld = version === '2.1.0'
  const challenge = isOld
    ? oneOf('01', '02', '03', '04')
    : oneOf('01', '02', '03', '04', '05', '06', '07', '08', '09')
  const scripted = {
    browserJavaEnabled: { type: 'boolean' },
    browserColorDepth: oneOf('1', '4', '8', '15', '16', '24', '32', '48'),
    browserScreenHeight: digits(6),
    browserScreenWidth: digits(6),
    browserTZ: pattern('-?[0-9]{1,4}'),
  }
  return message(
    'AReq',
    version,
    {
      messageCategory: oneOf('01', '02'),
      deviceChannel: oneOf('02'),
      threeDSServerTransID: UUID,
      threeDSServerRefNumber: text(32),
      threeDSServerURL: address(2048, 'https'),
      threeDSRequestorID: text(35),
      threeDSRequestorName: text(40),
      threeDSRequestorURL: address(2048, 'https?'),
      threeDSRequestorAuthenticationInd: oneOf('01', '02', '03', '04', '05', '06'),
      threeDSCompInd: oneOf('Y', 'N', 'U'),
      acctNumber: isMasked ? pattern('[0-9]{6}\\*{3,9}[0-9]{4}') : digits(19, 13),
      cardExpiryDate: isMasked ? pattern('\\*{4}') : pattern('[0-9]{2}(?:0[1-9]|1[0-2])'),
      acquirerBIN: digits(11),
      acquirerMerchantID: text(35),
      mcc: digits(4, 4),
      merchantCountryCode: COUNTRY,
      merchantName: text(40),
      purchaseAmount: digits(48),
      purchaseCurrency: CURRENCY,
      purchaseExponent: oneOf('0', '2', '3'),
      // It can have the check digit of a card number at random, and is masked as one then.
      purchaseDate: pattern(
        `20[0-9]{2}(?:0[1-9]|1[0-2])[0-3][0-9][0-2][0-9][0-5][0-9][0-5][0-9]${isMasked ? '|[0-9]{6}\\*{4}[0-9]{4}' : ''}`,
      ),
      browserAcceptHeader: text(2048),
      browserUserAgent: text(2048),
      browserLanguage: pattern('[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*'),
      notificationURL: address(256, 'https?'),
      ...(isOld ? scripted : { browserJavascriptEnabled: { type: 'boolean' } }),
    },
    {
      threeDSServerOperatorID: text(32),
      transType: oneOf('01', '03', '10', '11', '28'),
      threeDSRequestorChallengeInd: challenge,
      acctID: text(64),
      recurringExpiry: pattern('[0-9]{4}(?:0[1-9]|1[0-2])[0-3][0-9]'),
      recurringFrequency: digits(4),
      ...(isOld ? {} : scripted),
      browserIP: pattern('[0-9]{1,3}(?:\\.[0-9]{1,3}){3}|[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{1,4}){7}'),
      ...addressElements('billAddr'),
      ...addressElements('shipAddr'),
      addrMatch: oneOf('Y', 'N'),
      email: { type: 'string', format: 'email', maxLength: 254 },
      homePhone: PHONE,
      mobilePhone: PHONE,
      workPhone: PHONE,
      cardholderName: CARDHOLDER_NAME,
    },
    [
      { properties: { browserLanguage: { type: 'string', maxLength: 8 } } },
      whereThen(
        'threeDSRequestorAuthenticationInd',
        ['02', '03'],
        has('recurringExpiry', 'recurringFrequency'),
      ),
      whereThen('recurringExpiry', null, {
        properties: { threeDSRequestorAuthenticationInd: { enum: ['02', '03'] } },
      }),
      whereThen('billAddrState', null, has('billAddrCountry')),
      whereThen('shipAddrState', null, has('shipAddrCountry')),
      ...(isOld
        ? [hasNone('browserJavascriptEnabled')]
        : [whereThen('browserJavascriptEnabled', [true], has(...SCRIPTED))]),
    ],
  )
}

function addressElements(front: string): Readonly<Record<string, Schema>> {
  return {
    [`${front}City`]: text(50),
    [`${front}Country`]: COUNTRY,
    [`${front}Line1`]: text(50),
    [`${front}Line2`]: text(50),
    [`${front}Line3`]: text(50),
    [`${front}PostCode`]: text(16),
    [`${front}State`]: pattern('[A-Za-z0-9]{1,3}'),
  }
}
