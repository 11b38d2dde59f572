/**
 * The forms of a command as text, which is what its usage shows and what its arguments are read by.
 *
 * Words are separated by blanks: `list` stands for itself, `on|off` for one of both. `<name>` is an
 * argument; `[list]` and `[<name>]` may be left out; `<name>...` is one or more, `[<name>...]` any
 * number. Options are `[--json]`, `--key-file <file>` (which must be there), `[--required on|off]`
 * and `[--head <N:hash>]...`.
 */
export interface FormText {
  readonly words: string
  readonly options?: readonly string[]
}

/** One word of a form; `key` is what its value is asked for by. */
export interface Word {
  readonly key: string
  readonly isOptional: boolean
  readonly isRepeated: boolean
  /** Whether a word that was typed may stand here. */
  readonly fits: (typed: string) => boolean
}

export interface Option {
  readonly name: string
  /** As the usage shows its value; null for an option that is there or not. */
  readonly value: string | null
  /** The allowed values; null for any. */
  readonly choices: readonly string[] | null
  readonly isRequired: boolean
  readonly isRepeated: boolean
}

const ID = /^[1-9][0-9]{0,14}$/
const UP_TO_9999999 = /^[1-9][0-9]{0,6}$/
const UP_TO_999 = /^[1-9][0-9]{0,2}$/

/** The formats of these arguments; all others accept any text. */
const ARGUMENTS: ReadonlyMap<string, RegExp> = new Map([
  ['SITE_ID', ID],
  ['MERCH_ACCT_ID', ID],
  ['MERCHANT_ID', ID],
  ['BATCH_ID', ID],
  ['ENDPOINT_ID', ID],
  ['MAIL_ID', ID],
  ['CUST_ID', ID],
  ['merchant', ID],
  ['n', ID],
  ['entry', ID],
  ['payout', ID],
  ['id', /^[1-9][0-9]{0,8}$/],
  ['days', UP_TO_999],
  ['number', UP_TO_999],
  ['per-second', UP_TO_9999999],
  ['burst', UP_TO_9999999],
  ['products.json', /\.json$/],
  ['network', /^(?!everywhere$)/],
])

/** The words of a form, in their sequence. */
export function wordsOf({ words }: FormText): readonly Word[] {
  return words === '' ? [] : words.split(' ').map(readWord)
}

function readWord(text: string): Word {
  const isOptional = text.startsWith('[')
  const inner = isOptional ? text.slice(1, -1) : text
  const isRepeated = inner.endsWith('...')
  const [, name] = /^<(.+)>(?:\.\.\.)?$/.exec(inner) ?? []
  const pattern = name === undefined ? undefined : ARGUMENTS.get(name)
  const literals = inner.split('|')
  const fits = (typed: string): boolean =>
    name === undefined ? literals.includes(typed) : (pattern?.test(typed) ?? true)
  return { key: name ?? inner, isOptional, isRepeated, fits }
}

/** The options of a form. */
export function optionsOf({ options = [] }: FormText): readonly Option[] {
  return options.map((text) => {
    const [, name = '', value = null] =
      /^\[?--([a-z-]+)(?: ([^\]]+))?\]?(?:\.\.\.)?$/.exec(text) ?? []
    const isChoice = value !== null && /^[a-z0-9_]+(?:\|[a-z0-9_]+)+$/i.test(value)
    return {
      name,
      value,
      choices: isChoice ? value.split('|') : null,
      isRequired: !text.startsWith('['),
      isRepeated: text.endsWith('...'),
    }
  })
}

/**
 * The typed words by the keys of the form's; null where they don't fit. An optional word that was
 * left out has no entry.
 */
export function matchWords(
  form: readonly Word[],
  typed: readonly string[],
): ReadonlyMap<string, readonly string[]> | null {
  const [word, ...others] = form
  if (word === undefined) return typed.length === 0 ? new Map() : null
  const most = word.isRepeated ? typed.length : Math.min(1, typed.length)
  for (let count = most; count >= (word.isOptional ? 0 : 1); count -= 1) {
    const taken = typed.slice(0, count)
    const rest = taken.every(word.fits) ? matchWords(others, typed.slice(count)) : null
    if (rest === null) continue
    return count === 0 ? rest : new Map([[word.key, taken], ...rest])
  }
  return null
}

/** The name that is typed most like this one, with at most two other letters; null for none. */
export function nearestName(typed: string, names: readonly string[]): string | null {
  let nearest: string | null = null
  let least = Math.min(3, typed.length)
  for (const name of names) {
    const distance = lettersBetween(typed, name)
    if (distance < least) [nearest, least] = [name, distance]
  }
  return nearest
}

/** How many letters have to be put in, taken out or replaced (Levenshtein). */
function lettersBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1]
    for (const [place, other] of [...to].entries()) {
      const replaced = (row[place] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
