/** A JSON Schema, as ajv takes it. */
export type Schema = Readonly<Record<string, unknown>>

/** Text of so many characters, and never an empty one. */
export function text(most: number, least = 1): Schema {
  return { type: 'string', minLength: least, maxLength: most }
}

export function pattern(source: string): Schema {
  return { type: 'string', pattern: `^(?:${source})$` }
}

export function digits(most: number, least = 1): Schema {
  return pattern(`[0-9]{${least},${most}}`)
}

export function oneOf(...values: readonly string[]): Schema {
  return { enum: values }
}

/** An address of at most so many characters. */
export function address(most: number, schemes: string): Schema {
  return { ...pattern(`(?:${schemes})://[^\\s/@]+(?:/[^\\s]*)?`), maxLength: most }
}

export const UUID = pattern('[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}')
/** Base64 of exactly 20 bytes. */
export const CAVV = pattern('[A-Za-z0-9+/]{27}=')

/** ISO 3166-1 numeric: three digits that name a country. */
export const COUNTRY = pattern('(?!000|9[0-9][1-9]|9[1-9]0)[0-9]{3}')
/** ISO 4217 numeric, without funds, metals, test codes and no currency at all. */
export const CURRENCY = pattern('(?!000|95[5-9]|96[0-4]|999)[0-9]{3}')

/** The signs that a card's chip can hold: ASCII that can be printed. */
export const CARDHOLDER_NAME = pattern('[ -~]{2,45}')

export const PHONE: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['cc', 'subscriber'],
  properties: { cc: digits(3), subscriber: digits(15) },
}

/** A message of one type and version: no element beside these, none empty, none null. */
export function message(
  type: string,
  version: string,
  required: Readonly<Record<string, Schema>>,
  optional: Readonly<Record<string, Schema>> = {},
  conditions: readonly Schema[] = [],
): Schema {
  const all = { messageType: oneOf(type), messageVersion: oneOf(version), ...required }
  return {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(all),
    properties: { ...all, ...optional },
    ...(conditions.length === 0 ? {} : { allOf: conditions }),
  }
}

/** If an element has one of these values (or is there at all), the others must be there. */
export function whereThen(name: string, values: readonly unknown[] | null, then: Schema): Schema {
  const found = values === null ? {} : { properties: { [name]: { enum: values } } }
  return { anyOf: [{ not: { required: [name], ...found } }, then] }
}

export function has(...names: readonly string[]): Schema {
  return { required: names }
}

export function hasNone(...names: readonly string[]): Schema {
  return { not: { anyOf: names.map((name) => ({ required: [name] })) } }
}
