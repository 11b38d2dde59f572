import type { FieldKind, FieldSpec } from './field-spec.ts'

function fixed(kind: FieldKind, max: number, name: string): FieldSpec {
  return { name, kind, length: 'fixed', max }
}

function upTo(max: number, kind: FieldKind, name: string): FieldSpec {
  return { name, kind, length: max > 99 ? 'LLL' : 'LL', max }
}

const PRIMARY = {
  2: upTo(19, 'n', 'primary account number'),
  3: fixed('n', 6, 'processing code'),
  4: fixed('n', 12, 'amount, transaction'),
  5: fixed('n', 12, 'amount, settlement'),
  6: fixed('n', 12, 'amount, cardholder billing'),
  7: fixed('n', 10, 'transmission date and time'),
  8: fixed('n', 8, 'amount, cardholder billing fee'),
  9: fixed('n', 8, 'conversion rate, settlement'),
  10: fixed('n', 8, 'conversion rate, cardholder billing'),
  11: fixed('n', 6, 'systems trace audit number'),
  12: fixed('n', 6, 'local time'),
  13: fixed('n', 4, 'local date'),
  14: fixed('n', 4, 'expiry'),
  15: fixed('n', 4, 'settlement date'),
  16: fixed('n', 4, 'conversion date'),
  17: fixed('n', 4, 'capture date'),
  18: fixed('n', 4, 'merchant category code'),
  19: fixed('n', 3, 'acquirer country'),
  20: fixed('n', 3, 'card issuing country'),
  21: fixed('n', 3, 'forwarding institution country'),
  22: fixed('n', 3, 'POS entry mode'),
  23: fixed('n', 3, 'card sequence number'),
  24: fixed('n', 3, 'network international id'),
  25: fixed('n', 2, 'POS condition code'),
  26: fixed('n', 2, 'PIN capture code'),
  27: fixed('n', 1, 'authorization code length'),
  28: fixed('x+n', 9, 'amount, transaction fee'),
  29: fixed('x+n', 9, 'amount, settlement fee'),
  30: fixed('x+n', 9, 'amount, transaction processing fee'),
  31: fixed('x+n', 9, 'amount, settlement processing fee'),
  32: upTo(11, 'n', 'acquiring institution id'),
  33: upTo(11, 'n', 'forwarding institution id'),
  34: upTo(28, 'n', 'extended primary account number'),
  37: fixed('an', 12, 'retrieval reference number'),
  38: fixed('an', 6, 'authorization code'),
  39: fixed('an', 2, 'response code'),
  40: fixed('an', 3, 'service restriction code'),
  41: fixed('ans', 8, 'terminal id'),
  42: fixed('ans', 15, 'merchant id'),
  43: fixed('ans', 40, 'merchant name and location'),
  44: upTo(25, 'an', 'additional response data'),
  46: upTo(999, 'ans', 'additional data, ISO'),
  47: upTo(999, 'ans', 'additional data, national'),
  48: upTo(999, 'ans', 'private data'),
  49: fixed('an', 3, 'transaction currency'),
  50: fixed('an', 3, 'settlement currency'),
  51: fixed('an', 3, 'cardholder billing currency'),
  53: fixed('n', 16, 'security control information'),
  54: upTo(120, 'an', 'additional amounts'),
  55: upTo(999, 'ans', 'reserved, ISO'),
  56: upTo(999, 'ans', 'reserved, ISO'),
  57: upTo(999, 'ans', 'reserved, national'),
  58: upTo(999, 'ans', 'reserved, national'),
  59: upTo(999, 'ans', 'reserved, national'),
  60: upTo(999, 'ans', 'reserved, private'),
  61: upTo(999, 'ans', 'reserved, private'),
  62: upTo(999, 'ans', 'reserved, private'),
  63: upTo(999, 'ans', 'reserved, private'),
  64: fixed('b', 8, 'message authentication code'),
} as const satisfies Readonly<Record<number, FieldSpec>>

const SECONDARY = {
  66: fixed('n', 1, 'settlement code'),
  67: fixed('n', 2, 'extended payment code'),
  68: fixed('n', 3, 'receiving institution country'),
  69: fixed('n', 3, 'settlement institution country'),
  70: fixed('n', 3, 'network management code'),
  71: fixed('n', 4, 'message number'),
  72: fixed('n', 4, 'message number, last'),
  73: fixed('n', 6, 'action date'),
  74: fixed('n', 10, 'credits, number'),
  75: fixed('n', 10, 'credits reversal, number'),
  76: fixed('n', 10, 'debits, number'),
  77: fixed('n', 10, 'debits reversal, number'),
  78: fixed('n', 10, 'transfers, number'),
  79: fixed('n', 10, 'transfers reversal, number'),
  80: fixed('n', 10, 'inquiries, number'),
  81: fixed('n', 10, 'authorizations, number'),
  82: fixed('n', 12, 'credits, processing fee'),
  83: fixed('n', 12, 'credits, transaction fee'),
  84: fixed('n', 12, 'debits, processing fee'),
  85: fixed('n', 12, 'debits, transaction fee'),
  86: fixed('n', 16, 'credits, amount'),
  87: fixed('n', 16, 'credits reversal, amount'),
  88: fixed('n', 16, 'debits, amount'),
  89: fixed('n', 16, 'debits reversal, amount'),
  90: fixed('n', 42, 'original data elements'),
  91: fixed('an', 1, 'file update code'),
  92: fixed('an', 2, 'file security code'),
  93: fixed('an', 5, 'response indicator'),
  94: fixed('an', 7, 'service indicator'),
  95: fixed('an', 42, 'replacement amounts'),
  96: fixed('b', 8, 'message security code'),
  97: fixed('x+n', 17, 'amount, net settlement'),
  98: fixed('ans', 25, 'payee'),
  99: upTo(11, 'n', 'settlement institution id'),
  100: upTo(11, 'n', 'receiving institution id'),
  101: upTo(17, 'ans', 'file name'),
  102: upTo(28, 'ans', 'account identification 1'),
  103: upTo(28, 'ans', 'account identification 2'),
  104: upTo(100, 'ans', 'transaction description'),
  123: upTo(999, 'ans', 'address verification data'),
  128: fixed('b', 8, 'message authentication code'),
} as const satisfies Readonly<Record<number, FieldSpec>>

/** DE 105 to 122 and 124 to 127 are free for private use and alike. */
const RESERVED: Readonly<Record<number, FieldSpec>> = Object.fromEntries(
  [...Array.from({ length: 18 }, (_, index) => 105 + index), 124, 125, 126, 127].map((field) => [
    field,
    upTo(999, 'ans', 'reserved'),
  ]),
)

/**
 * The fields of ISO 8583:1987 in the house profile. Tracks (35, 36, 45) and the PIN block (52) are
 * left out on purpose. A payment without the card present has none, and a codec without them cannot
 * pass them on. 1 and 65 are bitmaps, not fields.
 */
export const HOUSE_FIELDS: Readonly<Record<number, FieldSpec>> = {
  ...PRIMARY,
  ...SECONDARY,
  ...RESERVED,
}
