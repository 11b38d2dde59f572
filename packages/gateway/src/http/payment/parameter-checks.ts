import { readExpiry, readPan } from '../../domain/payments/card.ts'
import type { Kind, Parameter } from './parameters.ts'
import { isReturnUrl } from './return-url.ts'

/** A fault in the form of a value: not a number, too short or long, or not acceptable. */
export type FormFault = 'value_not_numeric' | 'value_length_invalid' | 'value_invalid'

/** One value against its row: a list of values first, then number, length and format. */
export function checkValue(
  parameter: Pick<Parameter, 'kind' | 'min' | 'max' | 'values'>,
  value: string,
): FormFault | null {
  if (parameter.values !== null) {
    return parameter.values.includes(value.toUpperCase()) ? null : 'value_invalid'
  }
  if (parameter.kind === 'card_number') return cardNumberFault(value)
  if (parameter.kind === 'address') return isReturnUrl(value) ? null : 'value_invalid'
  if (parameter.kind === 'expiry') return readExpiry(value) === null ? 'value_invalid' : null
  const numeric = NUMERIC[parameter.kind]
  if (numeric !== undefined && !numeric.test(value)) return 'value_not_numeric'
  if (!hasLength(value, parameter.min, parameter.max)) return 'value_length_invalid'
  const format = FORMAT[parameter.kind]
  return format === undefined || format.test(value) ? null : 'value_invalid'
}

const NUMERIC: Partial<Readonly<Record<Kind, RegExp>>> = {
  digits: /^[0-9]+$/,
  count: /^[0-9]+$/,
  wait: /^[0-9]+$/,
  minutes: /^[+-]?[0-9]+$/,
  amount: /^(?:[0-9]+\.?[0-9]*|\.[0-9]+)$/,
}

const FORMAT: Partial<Readonly<Record<Kind, RegExp>>> = {
  printable: /^[^\p{Cc}\p{Cs}]*$/u,
  unbroken: /^\S*$/,
  letters: /^[A-Za-z]*$/,
  phone: /^[0-9+().\- ]+$/,
  date: /^(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])-[0-9]{4}$/,
  password: /^(?=.*[0-9])(?=.*[a-z])(?=.*[A-Z]).{10,}$/su,
  count: /^0*[1-9][0-9]?$/,
  wait: /^0*(?:[3-9][0-9]|[1-5][0-9]{2}|600)$/,
  minutes: /^[+-]?0*(?:[0-9]{1,2}|[1-7][0-9]{2}|8[0-3][0-9]|840)$/,
  cavv: /^[A-Za-z0-9+/]{27}=$/,
  period: /^0*[1-9][0-9]{0,3}$/,
}

function cardNumberFault(value: string): FormFault | null {
  const reading = readPan(value)
  if (reading.kind === 'pan') return null
  return reading.reason === 'not_numeric' ? 'value_not_numeric' : 'value_length_invalid'
}

/** Characters are counted as a person would count them: one outside the first plane is one. */
function hasLength(value: string, min: number, max: number): boolean {
  if (value.length <= max) return value.length >= min
  if (value.length > max * 2) return false
  let length = 0
  for (const _ of value) length += 1
  return length <= max
}
