import { isAscii, isUtf8 } from 'node:buffer'

export type FormCharset = 'utf-8' | 'iso-8859-1'

/** Finds the known name behind a name as sent, in any case of letters; null: not known here. */
export type NameLookup = (name: string) => string | null

export interface FormProblem {
  readonly kind: 'repeated' | 'undecodable' | 'too_many_pairs'
  /** The parameter to blame, '' where none can be named. */
  readonly field: string
}

export interface Form {
  /** By known name, in the order of arrival. No value is empty, but for those in `mayBeEmpty`. */
  readonly params: ReadonlyMap<string, string>
  /**
   * Unknown names as sent, for the request log to show. Their values are removed. So is anything
   * that cannot be a name: a whole JSON text, or the rest of a password with a bare `&` in it.
   */
  readonly unknown: readonly string[]
  /** The first thing wrong; the parameters are then those that could be read all the same. */
  readonly problem: FormProblem | null
}

export interface FormRules {
  readonly charset: FormCharset
  readonly lookUp: NameLookup
  /** Parameters that count as sent although they are empty. */
  readonly mayBeEmpty: ReadonlySet<string>
}

/** More pairs than any request of the interface has; a body with more is not one of them. */
const MAX_PAIRS = 1000
/** Enough for a person to see what a client calls its parameters. */
const MAX_UNKNOWN_NAMES = 20
/** As the names of parameters look; nothing else between two `&` is a name. */
const NAME = /^[a-z_][a-z0-9_.-]{0,63}$/i
export const NO_NAME = '[no name]'
/** Capitals of other scripts can be letters of ASCII: filters in front would know another name. */
const ASCII = /^[ -~]*$/

/**
 * Reads a form-encoded body. Accepts unambiguous slips of deployed clients: unencoded blanks, `#`,
 * `@` and commas, names in any case, a line end after the last pair. Ambiguous input is named as a
 * problem instead: a name sent twice, bytes that are no text.
 */
export function readForm(body: Buffer, rules: FormRules): Form {
  const params = new Map<string, string>()
  const unknown: string[] = []
  const sentAs = new Map<string, string>()
  let problem: FormProblem | null = null
  const text = withoutLineEnd(body.toString('latin1'))
  // Ten thousand bodies a second come by here, nearly all of them plain ASCII. `slice` alone cuts
  // those; only a pair with an escape or a foreign byte in it is decoded.
  const ascii = isAscii(body)

  let pairs = 0
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('&', start)
    if (end === -1) end = text.length
    if (end > start) {
      pairs += 1
      if (pairs > MAX_PAIRS) {
        return { params, unknown, problem: { kind: 'too_many_pairs', field: '' } }
      }
      problem = readPair(start, end) ?? problem
    }
    start = end + 1
  }
  return { params, unknown, problem }

  /** Gives the problem to report only when it is the first one. */
  function readPair(start: number, end: number): FormProblem | null {
    const pair = text.slice(start, end)
    const equals = pair.indexOf('=')
    const rawName = equals === -1 ? pair : pair.slice(0, equals)
    // Nearly every name comes as it is known: then nothing of it needs decoding.
    const name = (ascii ? rules.lookUp(rawName) : null) ?? readName(rawName, equals !== -1)
    if (name === null) return null
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1), ascii, rules.charset)
    if (value === null) return first({ kind: 'undecodable', field: name })
    if (value === '' && !rules.mayBeEmpty.has(name)) return null
    return store(name, rawName, value)
  }

  /** The known name behind an escaped or foreign one. Notes an unknown one, and returns null. */
  function readName(rawName: string, hasValue: boolean): string | null {
    const sentName = decode(rawName, ascii, rules.charset)
    if (sentName === null || sentName === '') return null
    const name = ASCII.test(sentName) ? rules.lookUp(sentName.trim()) : null
    if (name !== null) return name
    const shown = hasValue && NAME.test(sentName) ? sentName : NO_NAME
    if (unknown.length < MAX_UNKNOWN_NAMES) unknown.push(shown)
    return null
  }

  function store(name: string, rawName: string, value: string): FormProblem | null {
    const earlier = params.get(name)
    if (earlier === undefined) {
      params.set(name, value)
      sentAs.set(name, rawName)
      return null
    }
    // Two spellings of one parameter with one value between them leave nothing to guess.
    const isOtherName = spellingOf(sentAs.get(name) ?? '') !== spellingOf(rawName)
    if (earlier === value && isOtherName) return null
    return first({ kind: 'repeated', field: name })
  }

  /** A known name as it was sent, in capitals. */
  function spellingOf(rawName: string): string | undefined {
    return decode(rawName, ascii, rules.charset)?.trim().toUpperCase()
  }

  function first(found: FormProblem): FormProblem | null {
    return problem === null ? found : null
  }
}

function withoutLineEnd(text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end -= 1
  return end === text.length ? text : text.slice(0, end)
}

/** Text of one name or value; null when its bytes are no text in the charset, or hold a NUL. */
function decode(raw: string, ascii: boolean, charset: FormCharset): string | null {
  const escaped = raw.includes('%') || raw.includes('+')
  if (!escaped) {
    if (raw.includes('\0')) return null
    if (ascii) return raw
  }
  const plain = ascii ? unescapeAscii(raw) : null
  if (plain !== null) return plain
  const bytes = unescapeBytes(raw)
  if (bytes === null) return null
  // No database column and no XML answer can hold a NUL.
  if (bytes.includes(0)) return null
  if (charset === 'iso-8859-1') return bytes.toString('latin1')
  return isUtf8(bytes) ? bytes.toString('utf8') : null
}

const PLUS = 0x2b
const PERCENT = 0x25
const BLANK = 0x20

/** A text whose escapes stand for ASCII alone; null where its bytes have to be seen. */
function unescapeAscii(raw: string): string | null {
  const text = raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  if (text.includes('\0')) return null
  let plain = ''
  let from = 0
  for (let at = text.indexOf('%'); at !== -1; at = text.indexOf('%', from)) {
    const high = hexDigit(text.charCodeAt(at + 1))
    const low = hexDigit(text.charCodeAt(at + 2))
    const unit = high * 16 + low
    if (high < 0 || high > 7 || low < 0 || unit === 0) return null
    plain += text.slice(from, at) + String.fromCharCode(unit)
    from = at + 3
  }
  return plain + text.slice(from)
}

/** Undoes the form encoding of a string that holds one byte a character; null: a broken escape. */
function unescapeBytes(raw: string): Buffer | null {
  const bytes = Buffer.allocUnsafe(raw.length)
  let length = 0
  for (let at = 0; at < raw.length; at += 1) {
    const unit = raw.charCodeAt(at)
    if (unit === PERCENT) {
      const high = hexDigit(raw.charCodeAt(at + 1))
      const low = hexDigit(raw.charCodeAt(at + 2))
      if (high === -1 || low === -1) return null
      bytes[length] = high * 16 + low
      at += 2
    } else {
      bytes[length] = unit === PLUS ? BLANK : unit
    }
    length += 1
  }
  return bytes.subarray(0, length)
}

/** The value of a hexadecimal digit; -1 for anything else, the end of the text (NaN) included. */
function hexDigit(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30
  if (unit >= 0x41 && unit <= 0x46) return unit - 0x37
  if (unit >= 0x61 && unit <= 0x66) return unit - 0x57
  return -1
}
