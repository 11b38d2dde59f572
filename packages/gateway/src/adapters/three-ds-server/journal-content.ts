import { maskCardNumber, maskNumbers } from '../../base/card-masking.ts'
import { isUuid, type Message } from './protocol-fault.ts'

/** The elements of a message that are never stored. */
const LEFT_OUT = new Set(['authenticationValue', 'cardExpiryDate', 'messageExtension', '__proto__'])
/** Values that look like a card number and are none. */
const NO_NUMBERS = new Set(['purchaseDate', 'purchaseAmount', 'acctID'])
const TEXT_MAX = 2_048

/**
 * A message for the journal. Card numbers anywhere in it keep their first six and last four digits.
 * CAVV and expiry date are removed, and card ranges are replaced by their number.
 */
export function journalContent(message: Message): Message {
  const content: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(message)) {
    if (LEFT_OUT.has(name)) continue
    if (name === 'cardRangeData') content[name] = Array.isArray(value) ? value.length : 0
    else if (name === 'acctNumber') content[name] = maskCardNumber(String(value))
    else content[name] = NO_NUMBERS.has(name) || isUuid(value) ? value : masked(value)
  }
  return content
}

function masked(value: unknown): unknown {
  if (typeof value === 'string') return maskNumbers(value).slice(0, TEXT_MAX)
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([name, part]) => [name, masked(part)] as const)
  return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts)
}
