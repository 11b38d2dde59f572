export type Fields = Readonly<Record<string, string>>
export type Form = Readonly<Record<string, string | null>>

/** An answer of the gateway; every field as text, blank texts empty. */
export interface Answer {
  readonly fields: Fields
  /** HTTP. */
  readonly status: number
  readonly headers: Headers
}

/** The fields of an answer in JSON or, after a refused format, in XML. */
export function readFields(text: string): Fields {
  const pairs: readonly (readonly [string, unknown])[] = text.startsWith('{')
    ? Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>)
    : [...text.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(([, name = '', value]) => [name, value])
  return Object.fromEntries(pairs.map(([name, value]) => [name, textOf(value)]))
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value).trim()
}
