/** One word of a test instruction, such as `de39=51`. */
export interface TestWord {
  /** The part of the outcome that the word decides, for documents. */
  readonly meaning: string
  /** Each value with its effect; null if values have a form instead. */
  readonly values: Readonly<Record<string, string>> | null
  /** The form of values; `expected` completes "The value is not ...". Null with a list. */
  readonly form: { readonly pattern: RegExp; readonly expected: string } | null
}

export type TestWords = Readonly<Record<string, TestWord>>

/** Words with their values, or the reason why the text has none, as sentences. */
export type TestReading =
  | { readonly kind: 'read'; readonly words: ReadonlyMap<string, string> }
  | { readonly kind: 'refused'; readonly reason: string }

/** Characters of a whole instruction. A longer one is refused before it is looked at. */
export const LONGEST_TEST = 200

/**
 * Only such a name is repeated in a sentence. It has no digits, so no sentence can repeat a card
 * number that was pasted into the wrong place.
 */
const SHOWN_NAME = /^[a-z-]{1,20}$/

/**
 * Reads `word=value; word=value` strictly. Blanks around an item are ignored. An unknown word, a
 * word that comes twice, and a value outside its list are refused with what is allowed.
 */
export function readTestWords(text: string, table: TestWords): TestReading {
  if (text.length > LONGEST_TEST) {
    return refused(`It has ${text.length} characters, and at most ${LONGEST_TEST} are read.`)
  }
  const words = new Map<string, string>()
  for (const [at, item] of text.split(';').entries()) {
    const [, name, value] = /^ *([^= ]+)=([^ ]*) *$/.exec(item) ?? []
    if (name === undefined || value === undefined) {
      return refused(`Item ${at + 1} is not of the form word=value, as in de39=51; avs=N.`)
    }
    const word = Object.hasOwn(table, name) ? table[name] : undefined
    if (word === undefined) {
      const shown = SHOWN_NAME.test(name) ? `"${name}"` : `The word of item ${at + 1}`
      return refused(`${shown} is unknown. The words are ${Object.keys(table).join(', ')}.`)
    }
    if (words.has(name)) return refused(`${name} comes twice. Send each word once.`)
    const wrong = wrongValue(name, word, value)
    if (wrong !== null) return refused(wrong)
    words.set(name, value)
  }
  return { kind: 'read', words }
}

function wrongValue(name: string, { form, values }: TestWord, value: string): string | null {
  if (values !== null) {
    if (Object.hasOwn(values, value)) return null
    return `The value of ${name} is not one of ${Object.keys(values).join(', ')}.`
  }
  if (form === null || form.pattern.test(value)) return null
  return `The value of ${name} is not ${form.expected}.`
}

function refused(reason: string): TestReading {
  return { kind: 'refused', reason }
}

/** Milliseconds of a time such as `3s` or `1500ms`, which {@link TIME} accepts. */
export function testTimeMs(text: string): number {
  return text.endsWith('ms') ? Number(text.slice(0, -2)) : Number(text.slice(0, -1)) * 1_000
}

/** Times of words: up to two minutes, in whole seconds or milliseconds. */
export const TIME: NonNullable<TestWord['form']> = {
  pattern: /^(?:(?:[0-9]{1,2}|1[01][0-9]|120)s|(?:[0-9]{1,5}|1[01][0-9]{4}|120000)ms)$/,
  expected: 'a time up to 120s, such as 3s or 1500ms',
}
