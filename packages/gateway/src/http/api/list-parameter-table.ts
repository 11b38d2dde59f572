import { findCurrency } from '../../domain/currency.ts'
import type { FilterName } from '../../usecases/queries/list-reader.ts'
import type { ListName } from '../../usecases/queries/listed-rows.ts'

/** A parameter that narrows a list. */
export interface ListParameter {
  readonly meaning: string
  readonly expected: string
  /** Null for amounts, which are read with their currency. */
  readonly filter: FilterName | null
  /** The value as the database has it; null where it is invalid. */
  readonly read: ((text: string) => string | null) | null
}

/** The parameters of every list. */
export const COMMON_PARAMETERS = {
  from: {
    meaning: 'the first moment: `2026-11-24T00:00:00Z`, or a day in UTC',
    expected: 'It is a time such as 2026-11-24T00:00:00Z, or a day such as 2026-11-24.',
  },
  to: {
    meaning: 'the moment behind the last one, in the same form',
    expected: 'It is a time such as 2026-11-24T00:00:00Z, or a day such as 2026-11-24.',
  },
  after: {
    meaning: 'the cursor to go on from',
    expected: 'It is a cursor of this list.',
  },
  limit: {
    meaning: 'most rows of a page, 1 to 1000, by default 100; of a file, by default all',
    expected: 'It is a whole number from 1 to 1000, and more for files.',
  },
  format: {
    meaning: '`json`, `jsonl` or `csv`; wins over the header Accept',
    expected: 'It is json, jsonl or csv.',
  },
  count: {
    meaning: '`true`: a CSV file ends with a line that counts its rows',
    expected: 'It is true or false.',
  },
} as const satisfies Readonly<Record<string, Pick<ListParameter, 'meaning' | 'expected'>>>

const id = (filter: FilterName, meaning: string): ListParameter => ({
  meaning,
  expected: 'It is an id: up to 18 digits.',
  filter,
  read: (text) => (/^\d{1,18}$/.test(text) ? BigInt(text).toString() : null),
})

const text = (filter: FilterName, meaning: string): ListParameter => ({
  meaning,
  expected: 'It is a text of 1 to 255 characters.',
  filter,
  read: (value) => (value !== '' && value.length <= 255 && !value.includes('\0') ? value : null),
})

/** Words of the interface, and the words of the database. */
const words = (
  filter: FilterName,
  meaning: string,
  known: Readonly<Record<string, string>>,
): ListParameter => ({
  meaning: `${meaning}: ${Object.keys(known)
    .map((word) => `\`${word}\``)
    .join(', ')}`,
  expected: `It is one of: ${Object.keys(known).join(', ')}.`,
  filter,
  read: (value) => (Object.hasOwn(known, value) ? (known[value] ?? null) : null),
})

const upper = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name.toUpperCase(), name]))
const same = (...names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, name]))

const SITE = { site_id: id('site', 'the site') }
const MODE = { mode: words('mode', 'test or live data', same('test', 'live')) }
const ACCOUNT = { merchant_account_id: id('account', 'the merchant account') }
const CUSTOMER = {
  cust_id: id('customer', 'the customer'),
  xtl_cust_id: text('customer_reference', 'your reference of the customer'),
}
const ORDER_NAMES = {
  xtl_order_id: text('reference', 'your reference of the order'),
  ...CUSTOMER,
  mbshp_id: id('membership', 'the membership: its first order and its renewals'),
  mbshp_id_xtl: text('membership_reference', 'your reference of the membership'),
}
const CURRENCY: ListParameter = {
  meaning: 'the currency',
  expected: 'It is the code of a currency, such as EUR.',
  filter: 'currency',
  read: (code) => findCurrency(code)?.code ?? null,
}

function money(of: string): Readonly<Record<string, ListParameter>> {
  const amount = (meaning: string): ListParameter => ({
    meaning: `${of} ${meaning}; needs \`currency\``,
    expected: 'It is an amount such as 12.50.',
    filter: null,
    read: null,
  })
  return {
    currency: CURRENCY,
    amount: amount('is exactly this'),
    amount_min: amount('is this or more'),
    amount_max: amount('is this or less'),
  }
}

const STATES = ['running', 'pending', 'declined', 'failed'] as const
const STATUS = 'the status'

/** The parameters of each list beside the common ones. */
export const LIST_PARAMETERS: Readonly<Record<ListName, Readonly<Record<string, ListParameter>>>> =
  {
    orders: {
      ...SITE,
      ...MODE,
      status: words('status', STATUS, { APPROVED: 'authorized', ...upper(...STATES) }),
      ...ORDER_NAMES,
      ...money('`requested_amount`'),
    },
    transactions: {
      ...SITE,
      ...MODE,
      status: words('status', STATUS, upper('approved', ...STATES)),
      action: words(
        'action',
        'the step',
        same('authorization', 'sale', 'capture', 'refund', 'void', 'capture_void'),
      ),
      origin: words('origin', 'the cause', upper('api', 'portal', 'rebill', 'resolver')),
      po_id: id('order', 'the order'),
      ...ORDER_NAMES,
      batch_id: id('batch', 'sales, captures and refunds of the batch, in the sequence of ids'),
      ...money('`requested_amount`'),
    },
    memberships: {
      ...SITE,
      ...MODE,
      status: words(
        'status',
        STATUS,
        upper('active', 'past_due', 'cancel_scheduled', 'cancelled', 'ended'),
      ),
      ...CUSTOMER,
      mbshp_id_xtl: text('membership_reference', 'your reference of the membership'),
      product: text('product', 'the product'),
      ...money('`amount`'),
    },
    customers: {
      ...MODE,
      xtl_cust_id: text('customer_reference', 'your reference of the customer'),
    },
    batches: {
      ...MODE,
      ...ACCOUNT,
      status: words(
        'status',
        STATUS,
        upper('open', 'closing', 'closed', 'agreeing', 'comparing', 'agreed', 'differing'),
      ),
    },
    payouts: {
      ...MODE,
      ...ACCOUNT,
      status: words('status', STATUS, upper('announced', 'deposited', 'returned')),
      reference: text('payout_reference', "the acquirer's reference of the payout"),
      ...money('`amount`'),
    },
    disputes: {
      ...MODE,
      ...ACCOUNT,
      status: words(
        'status',
        STATUS,
        upper(
          'inquiry',
          'reported',
          'chargeback',
          'represented',
          'pre_arbitration',
          'arbitration',
          'won',
          'lost',
          'withdrawn',
          'accepted',
        ),
      ),
      po_id: id('order', 'the disputed order'),
      case_id: text('case', "the acquirer's number of the case"),
      ...money('`amount`'),
    },
  }
