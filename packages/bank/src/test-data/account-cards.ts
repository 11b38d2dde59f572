import {
  AMEX_CREDIT,
  DINERS_CREDIT,
  DISCOVER_CREDIT,
  JCB_CREDIT,
  MAESTRO_DEBIT,
  MASTERCARD_BRITISH,
  MASTERCARD_CREDIT,
  MASTERCARD_DEBIT,
  MASTERCARD_PREPAID,
  UNIONPAY_CREDIT,
  UNIONPAY_DEBIT,
  VISA_BRITISH,
  VISA_BUSINESS,
  VISA_CREDIT,
  VISA_DEBIT,
  VISA_FRENCH,
  VISA_PREPAID,
  VISA_TOKENIZED,
} from '../issuer/card-product.ts'
import type { HomeAddress } from '../issuer/verification.ts'
import type { TestCard } from './test-card.ts'

const LONDON: HomeAddress = {
  streetNumber: '221',
  street: '221 Baker Street',
  postalCode: 'NW16XE',
  scheme: 'international',
}

const PARIS: HomeAddress = {
  streetNumber: '5',
  street: '5 Avenue Anatole France',
  postalCode: '75007',
  scheme: 'international',
}

/**
 * Test cards that decide by their own data. The digit 9 behind the first six marks the
 * test cards. A number keeps its meaning for ever: merchants have tests against it.
 */
export const ACCOUNT_CARDS: readonly TestCard[] = [
  // Approving accounts: unlimited funds, with address and code compared.
  { pan: '4012889000000012', meaning: 'approves; Visa credit', product: VISA_CREDIT },
  { pan: '4242429000000027', meaning: 'approves; Visa debit', product: VISA_DEBIT },
  { pan: '4111119000000030', meaning: 'approves; Visa prepaid', product: VISA_PREPAID },
  { pan: '4000009000000045', meaning: 'approves; Visa commercial credit', product: VISA_BUSINESS },
  { pan: '5555559000000011', meaning: 'approves; Mastercard credit', product: MASTERCARD_CREDIT },
  { pan: '5200829000000025', meaning: 'approves; Mastercard debit', product: MASTERCARD_DEBIT },
  { pan: '5105109000000036', meaning: 'approves; Mastercard prepaid', product: MASTERCARD_PREPAID },
  {
    pan: '2223009000000040',
    meaning: 'approves; Mastercard of the 2 series',
    product: MASTERCARD_CREDIT,
  },
  { pan: '378282900000017', meaning: 'approves; American Express', product: AMEX_CREDIT },
  { pan: '6011119000000010', meaning: 'approves; Discover', product: DISCOVER_CREDIT },
  { pan: '30569390000014', meaning: 'approves; Diners Club', product: DINERS_CREDIT },
  { pan: '3566009000000019', meaning: 'approves; JCB', product: JCB_CREDIT },
  { pan: '6200009000000014', meaning: 'approves; UnionPay credit', product: UNIONPAY_CREDIT },
  { pan: '6200009000000022', meaning: 'approves; UnionPay debit', product: UNIONPAY_DEBIT },
  { pan: '6304009000000019', meaning: 'approves; Maestro', product: MAESTRO_DEBIT },
  {
    pan: '4012889000000608',
    meaning: 'approves; a token of the card network stands for its number (TRANS_NTOKEN_USED 1)',
    product: VISA_TOKENIZED,
  },
  // Accounts with little money.
  {
    pan: '4242429000000308',
    meaning:
      'has 30.00 for each authorization: more is 51, or 30.00 of it where a partial approval ' +
      'is accepted',
    product: VISA_DEBIT,
    funds: { opening: 30n, restored: 'each_authorization' },
  },
  {
    pan: '4242429000000001',
    meaning: 'has nothing: always 51',
    product: VISA_DEBIT,
    funds: { opening: 0n, restored: 'each_authorization' },
  },
  {
    pan: '4111119000000501',
    meaning: 'prepaid, has 50.00 for each authorization and returns the balance left',
    product: VISA_PREPAID,
    funds: { opening: 50n, restored: 'each_authorization' },
  },
  {
    pan: '5105109000000309',
    meaning: 'prepaid, has 30.00 for each authorization and returns the balance left',
    product: MASTERCARD_PREPAID,
    funds: { opening: 30n, restored: 'each_authorization' },
  },
  {
    pan: '5105109000000051',
    meaning: 'prepaid, has 5.00 for each authorization and returns the balance left',
    product: MASTERCARD_PREPAID,
    funds: { opening: 5n, restored: 'each_authorization' },
  },
  {
    pan: '6011119000000259',
    meaning: 'has 25.00 for each authorization',
    product: DISCOVER_CREDIT,
    funds: { opening: 25n, restored: 'each_authorization' },
  },
  {
    pan: '371449900000100',
    meaning: 'has 1000.00 for each authorization',
    product: AMEX_CREDIT,
    funds: { opening: 1000n, restored: 'each_authorization' },
  },
  {
    pan: '6200009000000303',
    meaning: 'has 30.00 for each authorization',
    product: UNIONPAY_DEBIT,
    funds: { opening: 30n, restored: 'each_authorization' },
  },
  {
    pan: '4242429000000100',
    meaning: 'has 1000.00 a day (UTC): holds and captures use it up',
    product: VISA_DEBIT,
    funds: { opening: 1000n, restored: 'daily' },
  },
  {
    pan: '5555559000000102',
    meaning: 'has 1000.00 a day (UTC): holds and captures use it up',
    product: MASTERCARD_CREDIT,
    funds: { opening: 1000n, restored: 'daily' },
  },
  // Limits.
  {
    pan: '4242429000000613',
    meaning: 'takes at most 200.00 at a time: more is 61',
    product: VISA_DEBIT,
    limits: { perTransaction: 200n },
  },
  {
    pan: '4242429000000621',
    meaning: 'takes at most 500.00 a day (UTC): more is 61',
    product: VISA_DEBIT,
    limits: { perDay: 500n },
  },
  {
    pan: '4242429000000654',
    meaning: 'takes at most 3 approvals a day (UTC): the fourth is 65',
    product: VISA_DEBIT,
    limits: { approvalsPerDay: 3 },
  },
  // States of an account.
  { pan: '4000009000000417', meaning: 'lost: 41', product: VISA_CREDIT, state: 'lost' },
  { pan: '4000009000000433', meaning: 'stolen: 43', product: VISA_CREDIT, state: 'stolen' },
  { pan: '4000009000000466', meaning: 'closed: 46', product: VISA_CREDIT, state: 'closed' },
  {
    pan: '4000009000000540',
    meaning: 'expired, with any expiry: 54',
    product: VISA_CREDIT,
    state: 'expired',
  },
  { pan: '4000009000000623', meaning: 'restricted: 62', product: VISA_CREDIT, state: 'restricted' },
  {
    pan: '4000009000000789',
    meaning: 'not used before and not activated: 78',
    product: VISA_CREDIT,
    state: 'not_activated',
  },
  {
    pan: '4000009000000573',
    meaning: 'not for purchases on the internet: 57',
    product: VISA_DEBIT,
    state: 'no_internet',
  },
  { pan: '5200829000000413', meaning: 'lost: 41', product: MASTERCARD_CREDIT, state: 'lost' },
  { pan: '5200829000000439', meaning: 'stolen: 43', product: MASTERCARD_CREDIT, state: 'stolen' },
  { pan: '378282900000462', meaning: 'closed: 46', product: AMEX_CREDIT, state: 'closed' },
  {
    pan: '6011119000000549',
    meaning: 'expired, with any expiry: 54',
    product: DISCOVER_CREDIT,
    state: 'expired',
  },
  {
    pan: '4000009000000490',
    meaning: 'the expiry must be 12/2049: another one is 54',
    product: VISA_CREDIT,
    expiry: '4912',
  },
  // Accounts that insist.
  {
    pan: '4000009000000771',
    meaning: 'declines a wrong security code itself: N7',
    product: VISA_CREDIT,
    insistsOn: 'security_code',
  },
  {
    pan: '4000009000000169',
    meaning: 'declines where neither street nor postal code match (AVS N or C): 05',
    product: VISA_CREDIT,
    insistsOn: 'address',
  },
  {
    pan: '4000009000000110',
    meaning:
      'needs the customer authenticated (a right CAVV; merchant-initiated is exempt): otherwise 1A',
    product: VISA_CREDIT,
    insistsOn: 'authentication',
  },
  {
    pan: '5200829000000652',
    meaning:
      'needs the customer authenticated (a right CAVV; merchant-initiated is exempt): otherwise 65',
    product: MASTERCARD_CREDIT,
    insistsOn: 'authentication',
  },
  // Accounts that approve customer-initiated and refuse merchant-initiated payments (CI begins with
  // M).
  {
    pan: '4012889000000707',
    meaning: 'approves the customer, answers merchant-initiated payments with R0',
    product: VISA_CREDIT,
    merchantInitiated: 'R0',
  },
  {
    pan: '4012889000000715',
    meaning: 'approves the customer, answers merchant-initiated payments with R1',
    product: VISA_CREDIT,
    merchantInitiated: 'R1',
  },
  {
    pan: '4012889000000731',
    meaning: 'approves the customer, answers merchant-initiated payments with R3',
    product: VISA_CREDIT,
    merchantInitiated: 'R3',
  },
  {
    pan: '4012889000000517',
    meaning: 'approves the customer, answers merchant-initiated payments with 51',
    product: VISA_CREDIT,
    merchantInitiated: '51',
  },
  {
    pan: '4012889000000053',
    meaning: 'approves the customer, answers merchant-initiated payments with 05',
    product: VISA_CREDIT,
    merchantInitiated: '05',
  },
  {
    pan: '4012889000000541',
    meaning: 'approves the customer, answers merchant-initiated payments with 54',
    product: VISA_CREDIT,
    merchantInitiated: '54',
  },
  // AVS results that American Express gives with a name check; the others follow from addresses.
  {
    pan: '378282900003060',
    meaning: 'approves with AVS F: postal code yes, name no',
    product: AMEX_CREDIT,
    avs: 'F',
  },
  {
    pan: '378282900003086',
    meaning: 'approves with AVS H: street and postal code yes, name no',
    product: AMEX_CREDIT,
    avs: 'H',
  },
  {
    pan: '378282900003102',
    meaning: 'approves with AVS J: name, street and postal code yes',
    product: AMEX_CREDIT,
    avs: 'J',
  },
  {
    pan: '378282900003110',
    meaning: 'approves with AVS K: only the name yes',
    product: AMEX_CREDIT,
    avs: 'K',
  },
  {
    pan: '378282900003128',
    meaning: 'approves with AVS L: name and postal code yes',
    product: AMEX_CREDIT,
    avs: 'L',
  },
  {
    pan: '378282900003151',
    meaning: 'approves with AVS O: name and street yes',
    product: AMEX_CREDIT,
    avs: 'O',
  },
  {
    pan: '378282900003177',
    meaning: 'approves with AVS Q: name, street and postal code yes',
    product: AMEX_CREDIT,
    avs: 'Q',
  },
  {
    pan: '378282900003201',
    meaning: 'approves with AVS T: street yes, name no',
    product: AMEX_CREDIT,
    avs: 'T',
  },
  {
    pan: '378282900003227',
    meaning: 'approves with AVS V: name, street and postal code yes',
    product: AMEX_CREDIT,
    avs: 'V',
  },
  // Holders outside the United States.
  {
    pan: '4012889000000442',
    meaning: 'approves; the holder lives in London: AVS B, C, D, I or P',
    product: VISA_BRITISH,
    address: LONDON,
  },
  {
    pan: '4012889000000335',
    meaning: 'approves; the holder lives in Paris: AVS B, C, I, M or P',
    product: VISA_FRENCH,
    address: PARIS,
  },
  {
    pan: '5200829000000447',
    meaning: 'approves; the holder lives in London: AVS B, C, D, I or P',
    product: MASTERCARD_BRITISH,
    address: LONDON,
  },
  {
    pan: '4012889000000459',
    meaning: 'approves; a foreign issuer without AVS: always G',
    product: VISA_BRITISH,
    address: LONDON,
    avs: 'G',
  },
]
