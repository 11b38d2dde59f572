/**
 * What the interface lets a caller ask for; a credit without an order is an operation of its own.
 */
export type Operation =
  | 'test_auth'
  | 'test_gateway'
  | 'authorize'
  | 'sale'
  | 'capture'
  | 'credit'
  | 'forced_credit'
  | 'void'
  | 'void_capture'
  | 'status'
  | 'update_transaction'
  | 'update_membership'
  | 'cancel_membership'

/** The form a value has to have; parameter-checks.ts holds the check behind each of these. */
export type Kind =
  | 'text'
  | 'printable'
  | 'unbroken'
  | 'digits'
  | 'amount'
  | 'letters'
  | 'phone'
  | 'date'
  | 'card_number'
  | 'expiry'
  | 'password'
  | 'count'
  | 'wait'
  | 'period'
  | 'minutes'
  | 'address'
  | 'cavv'

/**
 * What the gateway does with it when a card is paid with. `acts`: it changes the outcome; `echoes`:
 * it comes back in the answer; `stores`: it is kept with the order and shown; `checks`: its form is
 * checked and that is all; `ignores`: another payment method or service needs it, it isn't read.
 */
export type Use = 'acts' | 'echoes' | 'stores' | 'checks' | 'ignores'

/** How it appears in the request log: whole, a card number cut down, or not at all. */
export type Secrecy = 'open' | 'card_number' | 'removed'

export interface Parameter {
  readonly name: string
  readonly group: Group
  readonly kind: Kind
  /** In characters. */
  readonly min: number
  readonly max: number
  /** The values allowed, in upper case; null: any of the kind. */
  readonly values: readonly string[] | null
  /** Where it is read; elsewhere it is ignored, whatever it holds. */
  readonly operations: readonly Operation[]
  readonly use: Use
  readonly secrecy: Secrecy
  /** Other names under which it is accepted. */
  readonly aliases: readonly string[]
  readonly meaning: string
}

export type Group =
  | 'control'
  | 'reference'
  | 'card'
  | 'line'
  | 'order'
  | 'verification'
  | 'recurring'
  | 'customer'
  | 'address'
  | 'authentication'
  | 'product'
  | 'membership'
  | 'other'

type Extra = Partial<Pick<Parameter, 'min' | 'values' | 'secrecy' | 'aliases'>>

const PURCHASES: readonly Operation[] = ['authorize', 'sale']
const PAYMENTS: readonly Operation[] = ['authorize', 'sale', 'forced_credit']
const ADJUSTMENTS: readonly Operation[] = ['capture', 'credit', 'void', 'void_capture']
const VOIDS: readonly Operation[] = ['void', 'void_capture']
const LOOK_UPS: readonly Operation[] = ['status', 'update_transaction']
const MEMBERSHIPS: readonly Operation[] = ['update_membership', 'cancel_membership']
const EVERYWHERE: readonly Operation[] = [
  'test_auth',
  'test_gateway',
  ...PAYMENTS,
  ...ADJUSTMENTS,
  ...LOOK_UPS,
  ...MEMBERSHIPS,
]
const AMOUNTS: readonly Operation[] = [...PAYMENTS, ...ADJUSTMENTS]
const NOWHERE: readonly Operation[] = []

const FLAG = { values: ['0', '1'] }
const YES_OR_NO = { values: ['TRUE', 'FALSE', '1', '0'] }
const HIDDEN = { secrecy: 'removed' } as const
const LONG = 2048
const DOCUMENT = 32_768
/** Eighteen digits always fit the 64-bit integers that identifiers are kept in. */
const ID = 18
/** Twelve digits in minor units with a point, and room for harmless zeros in front. */
const AMOUNT = 20

function row(
  group: Group,
  name: string,
  kind: Kind,
  max: number,
  operations: readonly Operation[],
  use: Use,
  meaning: string,
  extra: Extra = {},
): Parameter {
  const whole = { min: 1, values: null, secrecy: 'open', aliases: [], ...extra } as const
  return { name, group, kind, max, operations, use, meaning, ...whole }
}

/**
 * Every parameter of the payment address, in the order in which their forms are checked.
 * A test holds docs/integrators/interface.md to this table. A name that ends in `_n` stands for one
 * parameter a line item.
 */
export const PARAMETERS: readonly Parameter[] = [
  row(
    'control',
    'REQ_USERNAME',
    'text',
    255,
    EVERYWHERE,
    'acts',
    "User name of the merchant's service user.",
  ),
  row('control', 'REQ_PASSWORD', 'text', 255, EVERYWHERE, 'acts', 'Password of that user.', HIDDEN),
  row('control', 'SITE_ID', 'digits', ID, EVERYWHERE, 'acts', 'Web site that the request is for.'),
  row('control', 'REQUEST_ACTION', 'text', 64, EVERYWHERE, 'acts', 'What to do.'),
  row('control', 'REQUEST_API_VERSION', 'text', 16, EVERYWHERE, 'acts', 'Always 4.14.'),
  row(
    'control',
    'REQUEST_RESPONSE_FORMAT',
    'text',
    16,
    EVERYWHERE,
    'acts',
    'XML (default), JSON or PIPES.',
  ),
  row('control', 'MERCH_ACCT_ID', 'digits', ID, PAYMENTS, 'acts', 'Merchant account to use.'),
  row(
    'control',
    'REQUEST_MAX_WAIT',
    'wait',
    255,
    PURCHASES,
    'acts',
    'Seconds the client waits, 30 to 600.',
  ),
  row('control', 'REQUEST_LANGUAGE', 'text', 3, PAYMENTS, 'stores', 'Three-letter language code.'),
  row(
    'control',
    'TPPE_ID',
    'text',
    255,
    PAYMENTS,
    'stores',
    'Third party that sends for the merchant.',
  ),

  row(
    'reference',
    'REQUEST_REF_PO_ID',
    'digits',
    ID,
    [...ADJUSTMENTS, 'forced_credit', ...LOOK_UPS],
    'acts',
    'Order to act on.',
  ),
  row(
    'reference',
    'REQUEST_REF_PO_LI_ID',
    'digits',
    ID,
    ADJUSTMENTS,
    'acts',
    'One line item of that order.',
    { aliases: ['REQUEST_PO_LI_ID'] },
  ),
  row(
    'reference',
    'REQUEST_REF_PO_ID_XTL',
    'text',
    255,
    LOOK_UPS,
    'acts',
    "The order by the merchant's reference.",
  ),
  row(
    'reference',
    'FORCE_CREDIT',
    'text',
    1,
    ['credit', 'forced_credit'],
    'acts',
    '1: credit a card without an order.',
    FLAG,
  ),
  row(
    'reference',
    'CREDIT_ON_FAIL',
    'text',
    1,
    VOIDS,
    'acts',
    '1: credit what can no longer be undone.',
    FLAG,
  ),

  row('card', 'PMT_NUMB', 'card_number', 19, PAYMENTS, 'acts', 'Card number, 12 to 19 digits.', {
    min: 12,
    secrecy: 'card_number',
  }),
  row(
    'card',
    'TOKEN_GUID',
    'text',
    64,
    PAYMENTS,
    'acts',
    'Single-use token in place of the number.',
    HIDDEN,
  ),
  row('card', 'PMT_EXPIRY', 'expiry', 255, PAYMENTS, 'acts', 'Expiry, MMYYYY or MM/YYYY.'),
  row('card', 'PMT_KEY', 'digits', 4, PAYMENTS, 'acts', 'Card security code.', {
    min: 3,
    secrecy: 'removed',
  }),
  row(
    'card',
    'CUST_ID',
    'digits',
    ID,
    [...PAYMENTS, ...MEMBERSHIPS],
    'acts',
    'Customer, from an earlier answer.',
  ),
  row('card', 'PMT_ID', 'digits', ID, PAYMENTS, 'acts', 'Saved card of that customer.'),
  row('card', 'PMT_ID_XTL', 'text', 64, PAYMENTS, 'acts', "The merchant's own id of the card."),
  row('card', 'PMT_L4', 'digits', 4, PAYMENTS, 'acts', 'Last four digits of the saved card.', {
    min: 4,
    aliases: ['PMT_LAST4'],
  }),
  row(
    'card',
    'PMT_NUMB_COF',
    'text',
    1,
    PAYMENTS,
    'acts',
    "1: the number is from the merchant's own card store.",
    FLAG,
  ),
  row(
    'card',
    'PMT_DESCRIPTOR',
    'unbroken',
    255,
    PAYMENTS,
    'stores',
    "Name for the cardholder's statement, without blanks.",
  ),
  row(
    'card',
    'PMT_DESCRIPTOR_PHONE',
    'phone',
    32,
    PAYMENTS,
    'stores',
    'Support telephone for the statement.',
  ),
  row(
    'card',
    'PMT_DESCRIPTOR_CITY',
    'text',
    255,
    PAYMENTS,
    'stores',
    'Support city for the statement.',
  ),

  row(
    'line',
    'LI_PROD_ID_n',
    'printable',
    64,
    PAYMENTS,
    'acts',
    "Product of line n; the site's default product if absent.",
  ),
  row(
    'line',
    'LI_COUNT_n',
    'count',
    255,
    PAYMENTS,
    'acts',
    'Quantity of line n, 1 to 99; 1 if absent.',
  ),
  row(
    'line',
    'LI_VALUE_n',
    'amount',
    AMOUNT,
    AMOUNTS,
    'acts',
    'Amount of line n, not multiplied by the quantity.',
  ),
  row(
    'line',
    'LI_XTL_PROD_ID_n',
    'text',
    255,
    PAYMENTS,
    'stores',
    "The merchant's own id of the product.",
  ),
  row('line', 'LI_TYPE_n', 'digits', 2, PAYMENTS, 'checks', 'Kind of line, for reports.'),

  row(
    'order',
    'REQUEST_CURRENCY',
    'text',
    3,
    AMOUNTS,
    'acts',
    "ISO 4217 code; the site's default if absent.",
  ),
  row(
    'order',
    'XTL_ORDER_ID',
    'text',
    255,
    PAYMENTS,
    'echoes',
    "The merchant's own order reference.",
    { aliases: ['XTL_PO_ID'] },
  ),
  row(
    'order',
    'UNIQUE_XTL_ORDER_ID',
    'text',
    1,
    PURCHASES,
    'acts',
    '1: refuse a repeated order; 2: answer it as before.',
    { values: ['0', '1', '2'] },
  ),
  row(
    'order',
    'PARTIAL_AUTH',
    'text',
    1,
    PURCHASES,
    'acts',
    '1: an approval for less is welcome.',
    FLAG,
  ),
  row(
    'order',
    'PARTIAL_AUTH_MIN',
    'amount',
    AMOUNT,
    PURCHASES,
    'acts',
    'The least that is welcome.',
  ),
  row('order', 'TAX_AMT', 'amount', AMOUNT, PAYMENTS, 'stores', 'Tax contained in the amount.'),
  row('order', 'TAX_EXEMPT', 'text', 1, PAYMENTS, 'stores', '1: the buyer pays no tax.', FLAG),
  row(
    'order',
    'CONVENIENCE_FEE',
    'amount',
    AMOUNT,
    PAYMENTS,
    'stores',
    'Surcharge contained in the amount.',
  ),
  row('order', 'PROD_DESC_XTL', 'text', 1000, PAYMENTS, 'stores', 'Description of what was sold.'),
  row('order', 'REQUEST_XSALE', 'text', 255, PAYMENTS, 'stores', 'Marks a cross-sale.'),
  row('order', 'REQUEST_AFF_ID', 'text', 255, PAYMENTS, 'stores', 'Affiliate.'),
  row('order', 'REQUEST_AFF_ID_SUB', 'text', 255, PAYMENTS, 'stores', 'Sub-affiliate.'),
  ...Array.from({ length: 20 }, (_, index) =>
    row(
      'order',
      `XTL_UDF${String(index + 1).padStart(2, '0')}`,
      'text',
      255,
      PAYMENTS,
      'stores',
      "The merchant's own field.",
    ),
  ),
  row('order', 'PROC_UDF01', 'text', 255, PAYMENTS, 'echoes', 'First processor-defined field.'),
  row('order', 'PROC_UDF02', 'text', 255, PAYMENTS, 'echoes', 'Second processor-defined field.'),
  row('order', 'PROC_GUID', 'text', 255, PAYMENTS, 'stores', "The processor's own transaction id."),

  row(
    'verification',
    'CHKAVS',
    'text',
    255,
    PURCHASES,
    'acts',
    "Address check: T, F, C or I; others leave the site's setting.",
  ),
  row(
    'verification',
    'AVSMATCHSET',
    'letters',
    26,
    PURCHASES,
    'acts',
    'Address codes that are accepted.',
  ),
  row(
    'verification',
    'CHKCVV',
    'text',
    255,
    PURCHASES,
    'acts',
    "Security code check: T, F, C or I; others leave the site's setting.",
  ),
  row(
    'verification',
    'CVVMATCHSET',
    'letters',
    26,
    PURCHASES,
    'acts',
    'Security code answers that are accepted.',
  ),

  row(
    'recurring',
    'REQUEST_INITATOR',
    'text',
    3,
    PURCHASES,
    'acts',
    'Who starts the payment: C or CIT, M or MIT.',
    { values: ['C', 'CIT', 'M', 'MIT'], aliases: ['REQUEST_INITIATOR'] },
  ),
  row(
    'recurring',
    'REQUEST_REBILL',
    'text',
    1,
    PURCHASES,
    'acts',
    '1: a renewal; 2: the first of a subscription.',
    { values: ['0', '1', '2'] },
  ),
  row('recurring', 'REQUEST_INSTALLMENT', 'text', 1, PURCHASES, 'acts', '1: an instalment.', FLAG),
  row(
    'recurring',
    'TRANS_REBILL_TYPE',
    'text',
    7,
    PURCHASES,
    'acts',
    'NONE, TRIAL, INITIAL or REBILL.',
    { values: ['NONE', 'TRIAL', 'INITIAL', 'REBILL'] },
  ),
  row(
    'recurring',
    'MBSHP_ID_XTL',
    'text',
    255,
    [...PURCHASES, 'update_transaction'],
    'acts',
    "The merchant's own membership id.",
  ),
  row(
    'recurring',
    'ORIG_CARD_BRAND_TRANSID',
    'text',
    255,
    PURCHASES,
    'acts',
    "Card scheme's id of the first payment.",
  ),
  row(
    'recurring',
    'TRANS_TRIAL_REBILL_CUSTOMER_CONSENT',
    'text',
    DOCUMENT,
    PURCHASES,
    'stores',
    "The cardholder's consent after a trial.",
  ),
  row(
    'recurring',
    'TRANS_CUSTOMER_RECEIPT',
    'text',
    DOCUMENT,
    [...PURCHASES, 'update_transaction'],
    'stores',
    'Receipt that the customer was given.',
    { aliases: ['TRANS_CUST_RECEIPT'] },
  ),
  row(
    'recurring',
    'CARD_ON_FILE_FLAG',
    'text',
    255,
    NOWHERE,
    'ignores',
    'Withdrawn; REQUEST_INITATOR says it.',
  ),

  row('customer', 'XTL_CUST_ID', 'text', 24, PAYMENTS, 'echoes', "The merchant's own customer id."),
  row('customer', 'CUST_FNAME', 'text', 255, PAYMENTS, 'stores', 'First name.'),
  row('customer', 'CUST_LNAME', 'text', 255, PAYMENTS, 'stores', 'Last name.'),
  row('customer', 'CUST_EMAIL', 'text', 255, PAYMENTS, 'stores', 'E-mail address.'),
  row('customer', 'CUST_PHONE', 'text', 255, PAYMENTS, 'stores', 'Telephone.'),
  row(
    'customer',
    'CUST_LOGIN',
    'text',
    255,
    PAYMENTS,
    'acts',
    'Login name at the site; taken only once.',
  ),
  row(
    'customer',
    'CUST_PASSWORD',
    'password',
    255,
    PAYMENTS,
    'checks',
    'Password at the site; never kept.',
    HIDDEN,
  ),
  row('customer', 'CUST_BIRTHDAY', 'date', 10, PAYMENTS, 'stores', 'Date of birth, MM-DD-YYYY.'),
  row(
    'customer',
    'CUST_DLN',
    'text',
    255,
    PAYMENTS,
    'checks',
    "Driver's licence; never kept.",
    HIDDEN,
  ),
  row(
    'customer',
    'CUST_DLN_STATE',
    'text',
    2,
    PAYMENTS,
    'checks',
    'State of the licence; never kept.',
    HIDDEN,
  ),
  row(
    'customer',
    'CUST_SSN_L4',
    'digits',
    4,
    PAYMENTS,
    'checks',
    'Last digits of a social security number; never kept.',
    { min: 4, ...HIDDEN },
  ),
  row('customer', 'XTL_IP', 'text', 255, PAYMENTS, 'stores', "The cardholder's IP address."),
  row(
    'customer',
    'USER_AGENT_XTL',
    'text',
    DOCUMENT,
    PAYMENTS,
    'stores',
    "The browser's user agent; 3-D Secure reads the first 2048.",
  ),
  row('customer', 'DEVICE_ID_XTL', 'text', 32, PAYMENTS, 'stores', 'Device id.', { min: 15 }),
  row('customer', 'DEVICE_FINGERPRINT_XTL', 'text', 45, PAYMENTS, 'stores', 'Device fingerprint.', {
    min: 20,
  }),
  row(
    'customer',
    'CUST_ID_XTL',
    'text',
    255,
    NOWHERE,
    'ignores',
    'Named nowhere but in an advice; XTL_CUST_ID is meant.',
  ),

  ...addressRows('BILL', 'Billing'),
  ...addressRows('SHIP', 'Shipping'),

  row(
    'authentication',
    'REQUEST_ENROLLMENT',
    'text',
    1,
    PURCHASES,
    'acts',
    '1: ask for 3-D Secure.',
    FLAG,
  ),
  row(
    'authentication',
    'DDC_REFERENCEID',
    'text',
    255,
    PURCHASES,
    'acts',
    'Reference of the device data collection.',
  ),
  row(
    'authentication',
    'P3DS_RETURN_URL',
    'address',
    LONG,
    PURCHASES,
    'acts',
    'Where a challenge ends: an absolute https address, or http in test mode.',
  ),
  row(
    'authentication',
    'P3DS_PROCTRANSID',
    'text',
    255,
    PURCHASES,
    'acts',
    'TransactionId of a finished challenge: makes this the final call. P3DS_TRANSID is read in its place when REQUEST_PARES is there and no outside result is.',
  ),
  row(
    'authentication',
    'REQUEST_PARES',
    'text',
    DOCUMENT,
    PURCHASES,
    'acts',
    'Response of a finished challenge; may be empty.',
    { min: 0, ...HIDDEN },
  ),
  row(
    'authentication',
    'P3DS_BROWSER_LANGUAGE',
    'text',
    255,
    PURCHASES,
    'acts',
    'Language of the browser. Without it nobody is authenticated.',
  ),
  row(
    'authentication',
    'P3DS_BROWSER_HEADER',
    'text',
    DOCUMENT,
    PURCHASES,
    'acts',
    'Accept header of the browser, cut after 2048. Without it nobody is authenticated.',
  ),
  row(
    'authentication',
    'P3DS_IP_ADDRESS',
    'text',
    255,
    PURCHASES,
    'acts',
    'Where XTL_IP is not sent.',
  ),
  row('authentication', 'P3DS_SCREEN_HEIGHT', 'digits', 6, PURCHASES, 'acts', 'Pixels.'),
  row('authentication', 'P3DS_SCREEN_WIDTH', 'digits', 6, PURCHASES, 'acts', 'Pixels.'),
  row(
    'authentication',
    'P3DS_JAVA_ENABLED',
    'text',
    5,
    PURCHASES,
    'acts',
    'Whether the browser runs Java.',
    YES_OR_NO,
  ),
  row(
    'authentication',
    'P3DS_JAVASCRIPT_ENABLED',
    'text',
    5,
    PURCHASES,
    'acts',
    'Whether it runs JavaScript.',
    YES_OR_NO,
  ),
  row(
    'authentication',
    'P3DS_BROWSER_COLOR_DEPTH',
    'digits',
    2,
    PURCHASES,
    'acts',
    'Bits a pixel.',
  ),
  row(
    'authentication',
    'P3DS_BROWSER_TIME_ZONE',
    'minutes',
    6,
    PURCHASES,
    'acts',
    'Minutes from UTC; the sign is not looked at.',
  ),
  row(
    'authentication',
    'P3DS_CHALLENGE_WINDOW',
    'digits',
    2,
    PURCHASES,
    'acts',
    'Size of the challenge: 250x400, 390x400, 500x600, 600x400, or all of the frame (default).',
    { values: ['01', '02', '03', '04', '05'] },
  ),
  row(
    'authentication',
    'P3DS_VERSION',
    'text',
    16,
    PURCHASES,
    'acts',
    'Protocol version of an outside result; else not looked at.',
  ),
  row(
    'authentication',
    'P3DS_ECI',
    'digits',
    2,
    PURCHASES,
    'acts',
    'Indicator from an outside provider.',
    { min: 2 },
  ),
  row(
    'authentication',
    'P3DS_CAVV',
    'cavv',
    28,
    PURCHASES,
    'acts',
    'Cryptogram from an outside provider, 20 bytes in Base64.',
    { min: 28, ...HIDDEN },
  ),
  row(
    'authentication',
    'P3DS_XID',
    'text',
    255,
    PURCHASES,
    'checks',
    'Transaction id from an outside provider.',
    HIDDEN,
  ),
  row(
    'authentication',
    'P3DS_TRANSID',
    'text',
    255,
    PURCHASES,
    'acts',
    "Directory server's id from an outside provider.",
  ),
  row(
    'authentication',
    'REQ_LOW_VALUE_SCAEXEMPTION',
    'text',
    1,
    PURCHASES,
    'acts',
    '1: ask for the low-value exemption, where nobody is authenticated.',
    FLAG,
  ),
  row('authentication', 'P3DS_PARAMS', 'text', LONG, NOWHERE, 'ignores', 'Withdrawn.'),
  row('authentication', 'P3DS_VERIFICATION_URL', 'text', LONG, NOWHERE, 'ignores', 'Withdrawn.'),

  row(
    'product',
    'PROD_NAME',
    'printable',
    255,
    PURCHASES,
    'stores',
    'Name of a new subscription product.',
  ),
  row(
    'product',
    'PROD_TYPE',
    'text',
    255,
    PURCHASES,
    'acts',
    '1: ends after its period; 2: renews.',
  ),
  row(
    'product',
    'PROD_REBILL_METRIC',
    'text',
    255,
    PURCHASES,
    'acts',
    'Unit of the period: M, D or Y.',
    { values: ['M', 'D', 'Y'] },
  ),
  row(
    'product',
    'PROD_REBILL_PERIOD',
    'period',
    255,
    PURCHASES,
    'acts',
    'Length of the period, 1 to 9999.',
  ),

  row(
    'membership',
    'REQUEST_REF_MBSHP_ID',
    'digits',
    ID,
    MEMBERSHIPS,
    'acts',
    'Membership to change.',
  ),
  row(
    'membership',
    'SUB_CANCEL_TYPE',
    'text',
    255,
    ['cancel_membership'],
    'acts',
    '1: now; 2: at the next renewal.',
    { values: ['1', '2'] },
  ),
  row(
    'membership',
    'SUB_UPDATE_PROD_ID',
    'printable',
    64,
    ['update_membership'],
    'acts',
    'New product.',
  ),
  row(
    'membership',
    'SUB_UPDATE_PMT_ID',
    'digits',
    ID,
    ['update_membership'],
    'acts',
    'New saved card.',
  ),

  ...['REQUEST_FILTER', 'REQUEST_OBJECT', 'PMT_TYPE', 'PMT_BIN'].map(
    elsewhere('Read at other addresses only.'),
  ),
  ...['PROC_SUCCESS_URL', 'PROC_ERROR_URL'].map(elsewhere('Return addresses of bank debits.')),
  ...['BANK_IDENTIFIER', 'DEBIT_TYPE'].map(elsewhere('Bank debits.')),
  ...['CUST_BRCPFCNPJ', 'USERDOCUMENTTYPE', 'USERDOCUMENTNUMBER'].map(
    elsewhere('Vouchers.', HIDDEN),
  ),
  ...['PMT_WALLET', 'WALLET_ECI', 'WALLET_TID'].map(elsewhere('Wallets.')),
  ...['PMT_WALLET_CRYPTOGRAM', 'WALLET_TOKEN', 'WALLET_TAVV'].map(elsewhere('Wallets.', HIDDEN)),
]

function addressRows(prefix: 'BILL' | 'SHIP', which: string): Parameter[] {
  return [
    row('address', `${prefix}_ADDR`, 'text', 255, PAYMENTS, 'stores', `${which} street.`),
    row(
      'address',
      `${prefix}_ADDR2`,
      'text',
      255,
      PAYMENTS,
      'stores',
      `${which} address, second line.`,
    ),
    row('address', `${prefix}_ADDR_CITY`, 'text', 255, PAYMENTS, 'stores', `${which} city.`),
    row(
      'address',
      `${prefix}_ADDR_STATE`,
      'text',
      2,
      PAYMENTS,
      'stores',
      `${which} state or territory.`,
    ),
    row('address', `${prefix}_ADDR_ZIP`, 'text', 255, PAYMENTS, 'stores', `${which} postal code.`),
    row(
      'address',
      `${prefix}_ADDR_COUNTRY`,
      'letters',
      2,
      PAYMENTS,
      'stores',
      `${which} country, ISO 3166-1 alpha-2.`,
      { min: 2 },
    ),
    row(
      'address',
      `${prefix}_ADDR_DISTRICT`,
      'text',
      255,
      PAYMENTS,
      'stores',
      `${which} district.`,
    ),
  ]
}

function elsewhere(meaning: string, extra: Extra = {}): (name: string) => Parameter {
  return (name) => row('other', name, 'text', DOCUMENT, NOWHERE, 'ignores', meaning, extra)
}
