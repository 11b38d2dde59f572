import { VaultFileError } from './vault-file.ts'

/** A line of an export; docs/vault-format.md says what each field is. */
export interface VaultRecord {
  readonly payment_method_id: string
  readonly merchant_id: string
  readonly mode: 'test' | 'live'
  readonly number: string
  readonly brand: string
  readonly expiry_month: number | null
  readonly expiry_year: number | null
  readonly reference: string
  readonly created_at: string
  readonly last_used_at: string
  readonly customer: {
    readonly id: string
    readonly reference: string
    readonly first_name: string
    readonly last_name: string
    readonly email: string
    readonly phone: string
    readonly billing: object
    readonly shipping: object
    readonly others: object
    readonly created_at: string
  }
}

/**
 * The card as a payment with the same texts would be stored: references whole, all else cut down.
 */
export function withoutPastedNumbers(
  { customer, ...card }: VaultRecord,
  cutDown: (text: string) => string,
): VaultRecord {
  const { first_name, last_name, email, phone, billing, shipping, others } = customer
  const texts = mapTexts(
    { first_name, last_name, email, phone, billing, shipping, others },
    cutDown,
  )
  return { ...card, customer: { ...customer, ...(texts as typeof customer) } }
}

/** All texts in a value, however deep. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]),
  )
}

/**
 * Reads a chunk's lines. Throws VaultFileError, which never holds a value, when one is no record.
 */
export function parseRecords(text: string): VaultRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const record = parseJson(line)
      if (isRecord(record)) return record
      throw new VaultFileError(
        'The file has a line that is no card: see docs/vault-format.md for what each must have.',
      )
    })
}

/** The number of cards that the last chunk states. */
export function parseEnd(text: string): number {
  const cards = (parseJson(text) as { readonly cards?: unknown } | null)?.cards
  if (typeof cards === 'number') return cards
  throw new VaultFileError('The file does not end with the number of its cards.')
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    // The error's text would show a part of the line.
    return null
  }
}

const ID = /^[1-9][0-9]{0,17}$/
const CARD_TEXTS = ['brand', 'reference', 'created_at', 'last_used_at']
const CUSTOMER_TEXTS = ['reference', 'first_name', 'last_name', 'email', 'phone', 'created_at']
const CUSTOMER_OBJECTS = ['billing', 'shipping', 'others']

function isRecord(value: unknown): value is VaultRecord {
  if (!isObject(value) || !isObject(value['customer'])) return false
  const { customer } = value
  return (
    [value['payment_method_id'], value['merchant_id'], customer['id']].every((id) =>
      matches(id, ID),
    ) &&
    matches(value['number'], /^[0-9]{12,19}$/) &&
    matches(value['mode'], /^(test|live)$/) &&
    [value['expiry_month'], value['expiry_year']].every(isSmallNumberOrNull) &&
    CARD_TEXTS.every((name) => typeof value[name] === 'string') &&
    CUSTOMER_TEXTS.every((name) => typeof customer[name] === 'string') &&
    CUSTOMER_OBJECTS.every((name) => isObject(customer[name])) &&
    [value['created_at'], value['last_used_at'], customer['created_at']].every(isTime)
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value)
}

function isSmallNumberOrNull(value: unknown): boolean {
  return value === null || (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 9_999)
}

function isTime(value: unknown): boolean {
  return !Number.isNaN(Date.parse(String(value)))
}
