import {
  AMEX_CREDIT,
  MASTERCARD_CREDIT,
  MASTERCARD_DEBIT,
  VISA_CREDIT,
  VISA_DEBIT,
} from '../issuer/card-product.ts'
import type { CardProduct } from '../issuer/card-product.ts'
import type { TestCard } from './test-card.ts'

/** Number, a usual product, its differences, and the words of the row. */
const ROWS: readonly (readonly [
  pan: string,
  usual: CardProduct,
  differences: Partial<CardProduct>,
  words: string,
])[] = [
  [
    '4012889000002109',
    VISA_CREDIT,
    { type: 'VISA CORPORATE', class: 'CORPORATE' },
    'Visa corporate',
  ],
  [
    '4012889000002117',
    VISA_CREDIT,
    { type: 'VISA PURCHASING', class: 'PURCHASING' },
    'Visa purchasing',
  ],
  [
    '5555559000002108',
    MASTERCARD_CREDIT,
    { type: 'MASTERCARD BUSINESS', class: 'COMMERCIAL' },
    'Mastercard commercial credit',
  ],
  [
    '5555559000002116',
    MASTERCARD_CREDIT,
    { type: 'MASTERCARD CORPORATE', class: 'CORPORATE' },
    'Mastercard corporate',
  ],
  [
    '5555559000002124',
    MASTERCARD_CREDIT,
    { type: 'MASTERCARD PURCHASING', class: 'PURCHASING' },
    'Mastercard purchasing',
  ],
  [
    '378282900002112',
    AMEX_CREDIT,
    { type: 'AMEX CORPORATE', class: 'CORPORATE' },
    'American Express corporate',
  ],
  [
    '4012889000002273',
    VISA_DEBIT,
    { country: 'DEU', bank: 'Testbank Frankfurt' },
    'Visa debit of a German bank',
  ],
  [
    '4012889000002125',
    VISA_CREDIT,
    { country: 'CAN', bank: 'Test Bank of Toronto' },
    'Visa credit of a Canadian bank',
  ],
  [
    '4012889000002075',
    VISA_CREDIT,
    { country: 'BRA', bank: 'Banco de Teste' },
    'Visa credit of a Brazilian bank',
  ],
  [
    '4012889000002034',
    VISA_CREDIT,
    { country: 'AUS', bank: 'Test Bank of Sydney' },
    'Visa credit of an Australian bank',
  ],
  [
    '4012889000002356',
    VISA_CREDIT,
    { country: 'IND', bank: 'Test Bank of Mumbai' },
    'Visa credit of an Indian bank',
  ],
  [
    '5555559000002728',
    MASTERCARD_DEBIT,
    { country: 'ESP', bank: 'Banco de Prueba' },
    'Mastercard debit of a Spanish bank',
  ],
  [
    '5555559000002520',
    MASTERCARD_DEBIT,
    { country: 'NLD', bank: 'Testbank Amsterdam' },
    'Mastercard debit of a Dutch bank',
  ],
]

/** Cards that approve, whose product or country shops read. */
export const PRODUCT_CARDS: readonly TestCard[] = ROWS.map(([pan, usual, differences, words]) => ({
  pan,
  meaning: `approves; ${words}`,
  product: { ...usual, ...differences },
}))
