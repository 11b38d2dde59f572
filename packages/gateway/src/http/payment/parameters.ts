import { LONGEST_TEST } from '@tollgate/iso8583'
import { acts, checks, echoes, ignores, section, stores } from './parameter-rows.ts'
import type { Operation, Parameter } from './parameter-rows.ts'
import {
  address,
  amount,
  cardNumber,
  cardToken,
  cavv,
  checkMode,
  count,
  currency,
  date,
  digits,
  duplicates,
  expiry,
  flag,
  id,
  initiator,
  letters,
  minutes,
  oneOf,
  password,
  period,
  phone,
  printable,
  securityCode,
  text,
  unbroken,
  wait,
  whole,
  windowSize,
  yesOrNo,
} from './value-forms.ts'

export type { ValueKind as Kind } from './value-kinds.ts'
export type { Group, Operation, Parameter } from './parameter-rows.ts'

const PURCHASES: readonly Operation[] = ['authorization', 'sale']
const PAYMENTS: readonly Operation[] = ['authorization', 'sale', 'unreferenced_credit']
const ADJUSTMENTS: readonly Operation[] = ['capture', 'refund', 'void', 'capture_void']
const VOIDS: readonly Operation[] = ['void', 'capture_void']
const LOOK_UPS: readonly Operation[] = ['status', 'update_transaction']
const MEMBERSHIPS: readonly Operation[] = ['update_membership', 'cancel_membership']
const EVERYWHERE: readonly Operation[] = [
  'test_auth',
  'test_gateway',
  ...PAYMENTS,
  ...ADJUSTMENTS,
  ...LOOK_UPS,
  ...MEMBERSHIPS,
  'dispute_alert',
]
const AMOUNTS: readonly Operation[] = [...PAYMENTS, ...ADJUSTMENTS]
const NAMING_AN_ORDER: readonly Operation[] = [...ADJUSTMENTS, 'unreferenced_credit', ...LOOK_UPS]

const HIDDEN = { secrecy: 'removed' } as const
const LONG = 2048
const DOCUMENT = 32_768

/**
 * Every parameter of the payment address, in the order in which their forms are checked, with what
 * its value is parsed into. A test holds docs/integrators/interface.md to this table. A name that
 * ends in `_n` stands for one parameter a line item.
 */
const TABLE = {
  ...section('control', EVERYWHERE, {
    REQ_USERNAME: acts(text(255), "User name of the merchant's API user."),
    REQ_PASSWORD: acts(text(255), 'Password of that user.', HIDDEN),
    SITE_ID: acts(id(), 'Site of the request.'),
    REQUEST_ACTION: acts(text(64), 'The action.'),
    REQUEST_API_VERSION: acts(text(16), 'Always 4.14.'),
    REQUEST_RESPONSE_FORMAT: acts(text(16), 'XML (default), JSON or PIPES.'),
    IDEMPOTENCY_KEY: acts(printable(64), 'Key under which the request may be repeated.', {
      in: AMOUNTS,
    }),
    SANDBOX_TEST: acts(text(LONGEST_TEST), 'Test of this one request, in test mode only.'),
    MERCH_ACCT_ID: acts(id(), 'Merchant account of the payment.', { in: PAYMENTS }),
    REQUEST_MAX_WAIT: acts(wait(), 'Seconds the client waits, 30 to 600.', { in: PURCHASES }),
    REQUEST_RETRY_ADVICE: acts(flag(), '1: columns about the next payment of the card.', {
      in: ['status'],
    }),
    REQUEST_LANGUAGE: stores(text(3), 'Three-letter language code.', { in: PAYMENTS }),
    TPPE_ID: stores(text(255), 'Third party that sends requests on behalf of the merchant.', {
      in: PAYMENTS,
    }),
  }),

  ...section('reference', ADJUSTMENTS, {
    REQUEST_REF_PO_ID: acts(id(), 'PO_ID of the order.', { in: NAMING_AN_ORDER }),
    REQUEST_REF_PO_LI_ID: acts(id(), 'A line item of that order.', {
      aliases: ['REQUEST_PO_LI_ID'],
    }),
    REQUEST_REF_PO_ID_XTL: acts(text(255), 'The order by its XTL_ORDER_ID.', {
      in: [...ADJUSTMENTS, ...LOOK_UPS],
    }),
    FORCE_CREDIT: acts(flag(), '1: unreferenced credit, without an order.', {
      in: ['refund', 'unreferenced_credit'],
    }),
    CREDIT_ON_FAIL: acts(flag(), '1: refund what can no longer be voided.', { in: VOIDS }),
  }),

  ...section('card', PAYMENTS, {
    PMT_NUMB: acts(cardNumber(), 'Card number, 12 to 19 digits.', { secrecy: 'card_number' }),
    TOKEN_GUID: acts(cardToken(), 'Single-use token in place of the number.', HIDDEN),
    PMT_EXPIRY: acts(expiry(), 'Expiry, MMYYYY or MM/YYYY.'),
    PMT_KEY: acts(securityCode(), 'Card security code.', HIDDEN),
    CUST_ID: acts(id(), 'Customer, from an earlier answer.', { in: [...PAYMENTS, ...MEMBERSHIPS] }),
    PMT_ID: acts(id(), 'Saved card of that customer.'),
    PMT_ID_XTL: acts(text(64), "The merchant's own id of the card."),
    PMT_L4: acts(digits(4, 4), 'Last four digits of the saved card.', { aliases: ['PMT_LAST4'] }),
    PMT_NUMB_COF: acts(flag(), "1: the number is from the merchant's own card store."),
    PMT_DESCRIPTOR: stores(
      unbroken(255),
      "Merchant name on the cardholder's statement, without blanks.",
    ),
    PMT_DESCRIPTOR_PHONE: stores(phone(32), 'Support telephone for the statement.'),
    PMT_DESCRIPTOR_CITY: stores(text(255), 'Support city for the statement.'),
  }),

  ...section('line', PAYMENTS, {
    LI_PROD_ID_n: acts(printable(64), "Product of line n; the site's default product if absent."),
    LI_COUNT_n: acts(count(), 'Quantity of line n, 1 to 99; 1 if absent.'),
    LI_VALUE_n: acts(amount(), 'Amount of line n, not multiplied by the quantity.', {
      in: AMOUNTS,
    }),
    LI_XTL_PROD_ID_n: stores(text(255), "The merchant's own id of the product."),
    LI_TYPE_n: checks(digits(2), 'Kind of line, for reports.'),
  }),

  ...section('order', PAYMENTS, {
    REQUEST_CURRENCY: acts(currency(), "ISO 4217 code; the site's default if absent.", {
      in: AMOUNTS,
    }),
    XTL_ORDER_ID: echoes(text(255), "The merchant's own order reference.", {
      aliases: ['XTL_PO_ID'],
    }),
    UNIQUE_XTL_ORDER_ID: acts(
      duplicates(),
      '1: refuse a repeated order; 2: return its stored answer.',
      {
        in: PURCHASES,
      },
    ),
    PARTIAL_AUTH: acts(flag(), '1: accept a partial approval.', { in: PURCHASES }),
    PARTIAL_AUTH_MIN: acts(amount(), 'Smallest partial approval to accept.', { in: PURCHASES }),
    TAX_AMT: stores(amount(), 'Tax contained in the amount.'),
    TAX_EXEMPT: stores(flag(), '1: the customer is tax-exempt.'),
    CONVENIENCE_FEE: stores(amount(), 'Surcharge contained in the amount.'),
    PROD_DESC_XTL: stores(text(1000), 'Description of what was sold.'),
    REQUEST_XSALE: stores(text(255), 'Marks a cross-sale.'),
    REQUEST_AFF_ID: stores(text(255), 'Affiliate.'),
    REQUEST_AFF_ID_SUB: stores(text(255), 'Sub-affiliate.'),
  }),
  ...merchantFields(),
  ...section('order', PAYMENTS, {
    PROC_UDF01: echoes(text(255), 'First processor-defined field.'),
    PROC_UDF02: echoes(text(255), 'Second processor-defined field.'),
    PROC_GUID: stores(text(255), "The processor's own transaction id."),
  }),

  ...section('verification', PURCHASES, {
    CHKAVS: acts(checkMode(), "Address check: T, F, C or I; other values keep the site's setting."),
    AVSMATCHSET: acts(letters(26), 'Accepted AVS results.'),
    CHKCVV: acts(
      checkMode(),
      "Security code check: T, F, C or I; other values keep the site's setting.",
    ),
    CVVMATCHSET: acts(letters(26), 'Accepted CVV results.'),
  }),

  ...section('recurring', PURCHASES, {
    REQUEST_INITATOR: acts(initiator(), 'Initiator: C or CIT (customer), M or MIT (merchant).', {
      aliases: ['REQUEST_INITIATOR'],
    }),
    REQUEST_REBILL: acts(
      oneOf(1, '0', '1', '2'),
      '1: a renewal; 2: the first payment of a subscription.',
    ),
    REQUEST_INSTALLMENT: acts(flag(), '1: an instalment.'),
    TRANS_REBILL_TYPE: acts(
      oneOf(7, 'NONE', 'TRIAL', 'INITIAL', 'REBILL'),
      'NONE, TRIAL, INITIAL or REBILL.',
    ),
    MBSHP_ID_XTL: acts(text(255), "The merchant's own membership id.", {
      in: [...PURCHASES, 'update_transaction'],
    }),
    ORIG_CARD_BRAND_TRANSID: acts(text(255), 'CARD_BRAND_TRANSID of the first payment.'),
    TRANS_TRIAL_REBILL_CUSTOMER_CONSENT: stores(
      text(DOCUMENT),
      "The cardholder's consent after a trial.",
    ),
    TRANS_CUSTOMER_RECEIPT: stores(text(DOCUMENT), 'Receipt given to the customer.', {
      in: [...PURCHASES, 'update_transaction'],
      aliases: ['TRANS_CUST_RECEIPT'],
    }),
    CARD_ON_FILE_FLAG: ignores(255, 'Withdrawn; use REQUEST_INITATOR.'),
  }),

  ...section('customer', PAYMENTS, {
    XTL_CUST_ID: echoes(text(24), "The merchant's own customer id."),
    CUST_FNAME: stores(text(255), 'First name.'),
    CUST_LNAME: stores(text(255), 'Last name.'),
    CUST_EMAIL: stores(text(255), 'E-mail address.'),
    CUST_PHONE: stores(text(255), 'Telephone.'),
    CUST_LOGIN: acts(text(255), 'Login name at the site; unique per site.'),
    CUST_PASSWORD: checks(password(), 'Password at the site; never kept.', HIDDEN),
    CUST_BIRTHDAY: stores(date(), 'Date of birth, MM-DD-YYYY.'),
    CUST_DLN: checks(text(255), "Driver's licence; never kept.", HIDDEN),
    CUST_DLN_STATE: checks(text(2), 'State of the licence; never kept.', HIDDEN),
    CUST_SSN_L4: checks(
      digits(4, 4),
      'Last digits of a social security number; never kept.',
      HIDDEN,
    ),
    CUST_BRCPFCNPJ: checks(text(255), 'Brazilian tax number; never kept.', HIDDEN),
    XTL_IP: stores(text(255), "The cardholder's IP address."),
    USER_AGENT_XTL: stores(
      text(DOCUMENT),
      "The browser's user agent; 3-D Secure reads the first 2048.",
    ),
    DEVICE_ID_XTL: stores(text(32, 15), 'Device id.'),
    DEVICE_FINGERPRINT_XTL: stores(text(45, 20), 'Device fingerprint.'),
    CUST_ID_XTL: ignores(255, 'Appears in an error text only; use XTL_CUST_ID.'),
  }),

  ...section('address', PAYMENTS, {
    BILL_ADDR: stores(text(255), 'Billing street.'),
    BILL_ADDR2: stores(text(255), 'Billing address, second line.'),
    BILL_ADDR_CITY: stores(text(255), 'Billing city.'),
    BILL_ADDR_STATE: stores(text(2), 'Billing state or territory.'),
    BILL_ADDR_ZIP: stores(text(255), 'Billing postal code.'),
    BILL_ADDR_COUNTRY: stores(letters(2, 2), 'Billing country, ISO 3166-1 alpha-2.'),
    BILL_ADDR_DISTRICT: stores(text(255), 'Billing district.'),
    SHIP_ADDR: stores(text(255), 'Shipping street.'),
    SHIP_ADDR2: stores(text(255), 'Shipping address, second line.'),
    SHIP_ADDR_CITY: stores(text(255), 'Shipping city.'),
    SHIP_ADDR_STATE: stores(text(2), 'Shipping state or territory.'),
    SHIP_ADDR_ZIP: stores(text(255), 'Shipping postal code.'),
    SHIP_ADDR_COUNTRY: stores(letters(2, 2), 'Shipping country, ISO 3166-1 alpha-2.'),
    SHIP_ADDR_DISTRICT: stores(text(255), 'Shipping district.'),
  }),

  ...section('authentication', PURCHASES, {
    REQUEST_ENROLLMENT: acts(flag(), '1: request 3-D Secure.'),
    DDC_REFERENCEID: acts(text(255), 'Reference of the device data collection.'),
    P3DS_RETURN_URL: acts(
      address(LONG),
      'Return URL of the challenge: absolute https, or http in test mode.',
    ),
    P3DS_PROCTRANSID: acts(
      text(255),
      'TransactionId of a finished challenge: makes this the final call. P3DS_TRANSID replaces it if REQUEST_PARES is present without an external result.',
    ),
    REQUEST_PARES: acts(
      text(DOCUMENT, 0),
      'Response of a finished challenge; may be empty.',
      HIDDEN,
    ),
    P3DS_BROWSER_LANGUAGE: acts(
      text(255),
      'Language of the browser. Without it 3-D Secure is skipped.',
    ),
    P3DS_BROWSER_HEADER: acts(
      text(DOCUMENT),
      'Accept header of the browser, cut after 2048. Without it 3-D Secure is skipped.',
    ),
    P3DS_IP_ADDRESS: acts(text(255), 'IP address, if XTL_IP is absent.'),
    P3DS_SCREEN_HEIGHT: acts(whole(6), 'Pixels.'),
    P3DS_SCREEN_WIDTH: acts(whole(6), 'Pixels.'),
    P3DS_JAVA_ENABLED: acts(yesOrNo(), 'Whether the browser runs Java.'),
    P3DS_JAVASCRIPT_ENABLED: acts(yesOrNo(), 'Whether it runs JavaScript.'),
    P3DS_BROWSER_COLOR_DEPTH: acts(whole(2), 'Bits per pixel.'),
    P3DS_BROWSER_TIME_ZONE: acts(minutes(), 'Minutes from UTC; the sign is ignored.'),
    P3DS_CHALLENGE_WINDOW: acts(
      windowSize(),
      'Size of the challenge: 250x400, 390x400, 500x600, 600x400, or full frame (default).',
    ),
    P3DS_VERSION: acts(text(16), 'Protocol version of an external result; otherwise ignored.'),
    P3DS_ECI: acts(digits(2, 2), 'ECI from an external provider.'),
    P3DS_CAVV: acts(cavv(), 'CAVV from an external provider, 20 bytes in Base64.', HIDDEN),
    P3DS_XID: checks(text(255), 'Transaction id from an external provider.', HIDDEN),
    P3DS_TRANSID: acts(text(255), "Directory Server's id from an external provider."),
    REQ_LOW_VALUE_SCAEXEMPTION: acts(
      flag(),
      '1: request the low-value exemption, without authentication.',
    ),
    P3DS_PARAMS: ignores(LONG, 'Withdrawn.'),
    P3DS_VERIFICATION_URL: ignores(LONG, 'Withdrawn.'),
  }),

  ...section('product', PURCHASES, {
    PROD_NAME: stores(printable(255), 'Name of a new subscription product.'),
    PROD_TYPE: acts(text(255), '1: ends after its period; 2: renews.'),
    PROD_REBILL_METRIC: acts(oneOf(255, 'M', 'D', 'Y'), 'Unit of the period: M, D or Y.'),
    PROD_REBILL_PERIOD: acts(period(), 'Length of the period, 1 to 9999.'),
  }),

  ...section('membership', MEMBERSHIPS, {
    REQUEST_REF_MBSHP_ID: acts(id(), 'Membership to list or to change.', {
      in: ['status', ...MEMBERSHIPS],
    }),
    SUB_CANCEL_TYPE: acts(oneOf(255, '1', '2'), '1: at once; 2: at the next renewal.', {
      in: ['cancel_membership'],
    }),
    SUB_UPDATE_PROD_ID: acts(printable(64), 'New product.', { in: ['update_membership'] }),
    SUB_UPDATE_PMT_ID: acts(id(), 'New saved card.', { in: ['update_membership'] }),
  }),

  ...elsewhere(
    'Another name of TRANS_CUSTOMER_RECEIPT, on CCTRANSUPDATE at wide sites.',
    'RECEIPT',
  ),
  ...elsewhere('Read at other endpoints only.', 'REQUEST_FILTER REQUEST_OBJECT PMT_TYPE PMT_BIN'),
  ...elsewhere('Return URLs of bank debits.', 'PROC_SUCCESS_URL PROC_ERROR_URL'),
  ...elsewhere('Bank debits.', 'BANK_IDENTIFIER DEBIT_TYPE'),
  ...elsewhere('Vouchers.', 'USERDOCUMENTTYPE USERDOCUMENTNUMBER', HIDDEN),
  ...elsewhere('Wallets.', 'PMT_WALLET WALLET_ECI WALLET_TID'),
  ...elsewhere('Wallets.', 'PMT_WALLET_CRYPTOGRAM WALLET_TOKEN WALLET_TAVV', HIDDEN),
}

/**
 * The names that a reader may ask for; the merchants' own fields are kept and asked for by none.
 */
export type ParameterName = keyof typeof TABLE

/** The type that the value of a parameter is parsed into. */
export type ValueOf<Name extends ParameterName> =
  (typeof TABLE)[Name] extends Parameter<infer Value> ? Value : never

export const PARAMETERS: readonly Parameter[] = Object.values(TABLE)

/** The parameters by their names, for addresses that read some of them in the same form. */
export const PARAMETERS_BY_NAME: typeof TABLE = TABLE

function merchantFields(): object {
  const names = Array.from({ length: 20 }, (_, at) => `XTL_UDF${String(at + 1).padStart(2, '0')}`)
  const field = stores(
    text(255),
    "The merchant's own field; on CCTRANSUPDATE at wide sites only.",
    {
      in: [...PAYMENTS, 'update_transaction'],
    },
  )
  return section('order', PAYMENTS, Object.fromEntries(names.map((name) => [name, field])))
}

function elsewhere(meaning: string, names: string, hidden: Partial<typeof HIDDEN> = {}): object {
  const row = ignores(DOCUMENT, meaning, hidden)
  return section('other', [], Object.fromEntries(names.split(' ').map((name) => [name, row])))
}
