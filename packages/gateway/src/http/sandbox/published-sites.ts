import { REQUIRED_FIELDS, type RequiredField } from '../../domain/merchants/account-demands.ts'
import {
  approved,
  declined,
  refusal,
  type Parameters,
  type PublishedSite,
} from './published-site.ts'

const MASTERCARD = '5555555555554444'
const AMERICAN_EXPRESS: Parameters = { PMT_NUMB: '378282246310005', PMT_KEY: '1234' }
const HOUR_S = 3_600
const MINUTE_S = 60

/** Each required field as a request states it. */
const STATED: Readonly<Record<RequiredField, readonly [name: string, value: string]>> = {
  security_code: ['PMT_KEY', '123'],
  country: ['BILL_ADDR_COUNTRY', 'BR'],
  birthday: ['CUST_BIRTHDAY', '01-31-1990'],
  ssn: ['CUST_SSN_L4', '1234'],
  address: ['BILL_ADDR', '1 Main Street'],
  city: ['BILL_ADDR_CITY', 'Springfield'],
  state: ['BILL_ADDR_STATE', 'SP'],
  postal_code: ['BILL_ADDR_ZIP', '12345'],
  phone: ['CUST_PHONE', '5550100'],
  ip_address: ['XTL_IP', '203.0.113.7'],
  tax_number: ['CUST_BRCPFCNPJ', '39053344705'],
  email: ['CUST_EMAIL', 'ann@shop.example'],
  first_name: ['CUST_FNAME', 'Ann'],
  last_name: ['CUST_LNAME', 'Berg'],
}
const ALL_FIELDS: Parameters = Object.fromEntries(REQUIRED_FIELDS.map((field) => STATED[field]))
const FIRST_FIELD_CODE = 200

const BROWSER: Parameters = {
  REQUEST_ENROLLMENT: '1',
  P3DS_RETURN_URL: 'http://shop.test/back',
  P3DS_BROWSER_LANGUAGE: 'en-US',
  P3DS_BROWSER_HEADER: 'text/html',
  USER_AGENT_XTL: 'Mozilla/5.0',
  P3DS_JAVA_ENABLED: 'FALSE',
  P3DS_JAVASCRIPT_ENABLED: 'TRUE',
  P3DS_BROWSER_COLOR_DEPTH: '24',
  P3DS_SCREEN_HEIGHT: '1080',
  P3DS_SCREEN_WIDTH: '1920',
  P3DS_BROWSER_TIME_ZONE: '60',
  XTL_IP: '203.0.113.7',
}

const CONSENT = 'TRANS_TRIAL_REBILL_CUSTOMER_CONSENT'
const SUBSCRIPTION: Parameters = { PMT_NUMB: MASTERCARD, MBSHP_ID_XTL: '{new}' }
const TRIAL: Parameters = { TRANS_REBILL_TYPE: 'TRIAL' }
const REBILL: Parameters = { TRANS_REBILL_TYPE: 'REBILL' }

/** The sites in the sequence of their ids, which never change their meaning. */
export const PUBLISHED_SITES: readonly PublishedSite[] = [
  {
    id: 9001,
    account: 9101,
    name: 'Strict catalogue',
    meaning: 'a strict catalogue with an inactive product and one priced in another currency',
    situation: {
      products: [
        { code: 'gold', active: true },
        { code: 'old', active: false },
        { code: 'club', active: true, membership: { priceMinor: 900n, currency: 'EUR' } },
      ],
    },
    trials: [
      approved('an active product', { LI_PROD_ID_1: 'gold' }),
      refusal({ api: '150' }, 'an unknown product', { LI_PROD_ID_1: 'silver' }),
      refusal({ service: 192 }, 'an inactive product', { LI_PROD_ID_1: 'old' }),
      refusal({ service: 190 }, 'a membership product in USD', { LI_PROD_ID_1: 'club' }),
    ],
  },
  {
    id: 9002,
    account: 9102,
    name: 'Velocity rules',
    meaning:
      'velocity rules: two payments of a card in a minute, and two cards of a customer in an hour',
    situation: {
      rules: [
        rule('card-attempts', 'card', 'attempts', MINUTE_S, 215),
        rule('address-cards', 'address', 'cards', HOUR_S, 601),
      ],
    },
    trials: [
      declined(
        215,
        'the third payment of a card within a minute',
        { PMT_NUMB: '5105105105105100' },
        [{}, {}],
      ),
      declined(601, 'the third card of a customer within an hour', { XTL_IP: '203.0.113.80' }, [
        { PMT_NUMB: MASTERCARD },
        AMERICAN_EXPRESS,
      ]),
    ],
  },
  {
    id: 9003,
    account: 9103,
    name: '3-D Secure required',
    meaning:
      '3-D Secure is required, and a payment is declined when the issuer cannot authenticate',
    situation: { threeDs: { required: true, whenUnavailable: 'decline' } },
    trials: [
      declined(670, '3-D Secure requested without the data of the browser', {
        REQUEST_ENROLLMENT: '1',
      }),
      declined(670, 'a card of an issuer that cannot authenticate', {
        ...BROWSER,
        PMT_NUMB: '4000000000002560',
        DDC_REFERENCEID: '{ddc}',
      }),
    ],
  },
  {
    id: 9004,
    account: 9104,
    name: 'Required fields',
    meaning: 'the account requires every field that an account can require',
    situation: { requiredFields: REQUIRED_FIELDS },
    trials: [
      approved('every field', ALL_FIELDS),
      ...REQUIRED_FIELDS.map((field, at) => {
        const [name] = STATED[field]
        return declined(FIRST_FIELD_CODE + at, `without ${name}`, { ...ALL_FIELDS, [name]: null })
      }),
    ],
  },
  {
    id: 9005,
    account: 9105,
    name: 'Visa only',
    meaning: 'the account takes Visa and no other brand',
    situation: { brands: ['Visa'] },
    trials: [
      approved('a Visa', {}),
      declined(522, 'a Mastercard', { PMT_NUMB: MASTERCARD }),
      declined(522, 'an American Express', AMERICAN_EXPRESS),
    ],
  },
  {
    id: 9006,
    account: 9106,
    name: 'Low limits',
    meaning: 'the account takes 50.00 USD at most, and 1.00 EUR a day',
    situation: {
      limits: { amounts: { USD: { payment: 5_000n }, EUR: { day: 100n } } },
    },
    trials: [
      approved('the highest amount', { LI_VALUE_1: '50.00' }),
      declined(540, 'a higher amount', { LI_VALUE_1: '50.01' }),
      declined(215, 'more than the account takes in a day', { REQUEST_CURRENCY: 'EUR' }),
    ],
  },
  {
    id: 9007,
    account: 9107,
    name: 'Countries',
    meaning: 'the account takes billing addresses in the United States and Canada only',
    situation: { limits: { amounts: {}, countries: ['CA', 'US'] } },
    trials: [
      approved('an accepted country', { BILL_ADDR_COUNTRY: 'CA' }),
      declined(601, 'another country', { BILL_ADDR_COUNTRY: 'DE' }),
      declined(201, 'without a country', {}),
    ],
  },
  {
    id: 9008,
    account: 9108,
    name: 'Few currencies',
    meaning: 'the account takes USD only',
    situation: { currencies: ['USD'] },
    trials: [
      approved('an accepted currency', {}),
      refusal(
        { api: '155' },
        'another currency',
        { REQUEST_CURRENCY: 'EUR' },
        {
          field: 'REQUEST_CURRENCY',
        },
      ),
    ],
  },
  {
    id: 9009,
    account: 9109,
    name: 'Subscriptions and credits',
    meaning: 'category 5968, with Mastercard rules about trials, and unreferenced credits',
    situation: { categoryCode: '5968', unreferencedCredits: true },
    trials: [
      approved('an unreferenced credit', { REQUEST_ACTION: 'CCCREDIT', FORCE_CREDIT: '1' }),
      refusal(
        { api: '110' },
        'the first renewal after a trial, without consent',
        {
          ...SUBSCRIPTION,
          ...REBILL,
        },
        { after: [TRIAL], field: CONSENT },
      ),
      refusal(
        { api: '113' },
        'the second renewal after a trial, without a receipt',
        {
          ...SUBSCRIPTION,
          ...REBILL,
        },
        { after: [TRIAL, { [CONSENT]: 'I agree' }], field: 'MBSHP_ID_XTL' },
      ),
    ],
  },
  {
    id: 9010,
    account: 9110,
    name: 'Without 3-D Secure',
    meaning: 'the account takes no part in 3-D Secure, and allows no unreferenced credits',
    situation: { noThreeDs: true },
    trials: [
      {
        when: 'the request that prepares 3-D Secure',
        sends: { MERCH_ACCT_ID: '9110', PMT_BIN: '411111' },
        after: [],
        answer: { API_RESPONSE: '104' },
        path: '/payment/3dsrequest.cfm',
      },
      refusal({ api: '104' }, 'an unreferenced credit', {
        REQUEST_ACTION: 'CCCREDIT',
        FORCE_CREDIT: '1',
      }),
    ],
  },
]

function rule(
  name: string,
  subject: 'card' | 'address',
  counts: 'attempts' | 'cards',
  windowSeconds: number,
  code: 215 | 601,
) {
  return { name, subject, counts, limit: 2, windowSeconds, code } as const
}
