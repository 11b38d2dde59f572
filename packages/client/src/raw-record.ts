/** An unparsed answer: its fields by their names in the interface. */
export type RawRecord = Readonly<Record<string, unknown>>

export interface Tier {
  /** Text, because some banks return letters. */
  readonly code: string
  readonly advice: string
}

export function tier(raw: RawRecord, name: string): Tier {
  return { code: field(raw, `${name}_RESPONSE`), advice: field(raw, `${name}_ADVICE`).trim() }
}

export function field(raw: RawRecord, name: string): string {
  const value = raw[name]
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
