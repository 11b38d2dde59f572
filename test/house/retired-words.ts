import { parseSync, Visitor } from 'oxc-parser'

/** Words that the glossary and the writing rules retired, and the words in their place. */
const RETIRED: Readonly<Record<string, string>> = {
  told: 'reported, returned or shown',
  tell: 'report, return or show',
  tells: 'reports, returns or shows',
  telling: 'reporting',
  asker: 'requester',
  act: 'operation',
  acts: 'operations',
  doer: 'portal user or API user',
  door: 'sign-in',
  person: 'portal user',
  persons: 'portal users',
  people: 'portal users',
  colleague: 'portal user',
  stranger: 'anonymous',
  shopper: 'customer or cardholder',
  buyer: 'customer or cardholder',
  undo: 'void, capture void, refund or reversal',
  undone: 'voided or refunded',
  discrepancy: 'difference',
  news: 'account update',
  purse: 'funds',
  deck: 'test cards',
}

/** Retired pairs: the first word is good by itself. */
const RETIRED_PAIRS: Readonly<Record<string, string>> = {
  'avs letter': 'AVS result',
  'avs letters': 'AVS results',
  'cvv letter': 'CVV result',
  'cvv letters': 'CVV results',
  'result letter': 'AVS result or CVV result',
  'kept card': 'card on file',
  'kept cards': 'cards on file',
  'card news': 'account update',
  'audit trail': 'audit log',
  'master key': 'key-encrypting key',
  'batch settle': 'batch close',
}

/** Identifiers that may hold one, each with the reason. A test fails for one that is gone. */
export const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'packages/gateway/src/http/payment/parameter-rows.ts': {
    acts: 'the kind of a parameter that acts on the payment, beside those that are stored',
  },
  'packages/gateway/src/http/payment/parameters.ts': {
    acts: 'the kind of a parameter that acts on the payment, beside those that are stored',
  },
}

/** The bank posts credits, as DE 3 and its books name them; a client and http speak the wire. */
const SPEAKS_OF_CREDITS = /^packages\/(?:bank|iso8583|client)\/|^packages\/gateway\/src\/http\//

/** The words of an identifier, in small letters: `avsMatch_SET` has three. */
function wordsOf(identifier: string): readonly string[] {
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[ _$#]+/)
}

function identifiersOf(path: string, text: string): ReadonlySet<string> {
  const found = new Set<string>()
  const { program } = parseSync(path, text)
  const add = ({ name }: { readonly name: string }): unknown => found.add(name)
  new Visitor({ Identifier: add, PrivateIdentifier: add, JSXIdentifier: add }).visit(program)
  return found
}

/** The retired words in the identifiers of a source file, a sentence each. */
export function retiredWords(path: string, text: string): readonly string[] {
  const identifiers = identifiersOf(path, text)
  const allowed = ALLOWED[path] ?? {}
  return [...identifiers]
    .filter((name) => !(name in allowed))
    .flatMap((name) => {
      const instead = insteadOf(name) ?? insteadOfCredit(path, name, identifiers)
      return instead === null ? [] : [`${path} has ${name}; the glossary says ${instead}.`]
    })
}

function insteadOf(name: string): string | null {
  const words = wordsOf(name)
  for (const [at, word] of words.entries()) {
    const pair = RETIRED_PAIRS[`${word} ${words[at + 1] ?? ''}`]
    const instead = pair ?? (Object.hasOwn(RETIRED, word) ? RETIRED[word] : undefined)
    if (instead !== undefined) return instead
  }
  return null
}

/** A credit card, an unreferenced credit and the two sides of a posting are credits; a refund is none. */
function insteadOfCredit(path: string, name: string, others: ReadonlySet<string>): string | null {
  if (SPEAKS_OF_CREDITS.test(path)) return null
  const words = wordsOf(name)
  const at = words.findIndex((word) => /^credit(?:s|ed)?$/.test(word))
  if (at === -1 || words[at - 1] === 'unreferenced' || words[at + 1] === 'card') return null
  return words.length === 1 && others.has('debit') ? null : 'refund or unreferenced credit'
}

/** Exceptions that are not needed any more. `read` gives a file's text, null when it is gone. */
export function idleExceptions(read: (path: string) => string | null): readonly string[] {
  return Object.entries(ALLOWED).flatMap(([path, names]) => {
    const text = read(path)
    const there = text === null ? new Set() : identifiersOf(path, text)
    return Object.keys(names)
      .filter((name) => !there.has(name))
      .map((name) => `${path} may have ${name}, but has not.`)
  })
}
