/** An entry of the audit log exactly as it is hashed: texts, byte for byte. */
export interface ChainedEntry {
  readonly number: bigint
  /** UTC, with six decimals: `2026-11-21T10:00:00.000000Z`. */
  readonly at: string
  readonly actor: string
  readonly operation: string
  readonly object: string
  /** Empty for none. */
  readonly merchantId: string
  readonly address: string
  readonly result: string
  /** JSON, as it was written. */
  readonly details: string
  /** 64 hexadecimal digits, like `hash`. */
  readonly previousHash: string
  readonly hash: string
}

/**
 * The end of the log at some time: what is noted elsewhere to find out later what was rewritten.
 */
export interface AuditHead {
  readonly number: bigint
  readonly hash: string
}

/**
 * SHA-256 of the bytes of a hexadecimal text followed by a text in UTF-8; 64 hexadecimal digits.
 */
export type ChainDigest = (previousHash: string, text: string) => string

/** The hash of the entry before the first: SHA-256 of `tollgate audit log`. */
export const GENESIS: AuditHead = {
  number: 0n,
  hash: 'fd83f1ce95db74c529a8ce86d311bc75ff0634dcb2377b0b2aa1eb741094716f',
}

/** The input of the hash, after the previous hash: each field with its length in bytes in front. */
export function hashedText(entry: ChainedEntry): string {
  return [
    entry.number.toString(),
    entry.at,
    entry.actor,
    entry.operation,
    entry.object,
    entry.merchantId,
    entry.address,
    entry.result,
    entry.details,
  ]
    .map((field) => `${utf8Length(field)}:${field}`)
    .join('')
}

const encoder = new TextEncoder()

function utf8Length(text: string): number {
  return encoder.encode(text).length
}

/** Checks entries one by one, in the sequence of their numbers. */
export interface ChainCheck {
  /** The fault of the entry, as a sentence; null when it follows from those before. */
  next(entry: ChainedEntry): string | null
  /** The entry that was looked at last; null before the first. */
  readonly last: ChainedEntry | null
  readonly count: number
  /** How many entries are of an earlier time than the one before them, and the first of these. */
  readonly clockSetBack: { readonly count: number; readonly first: bigint | null }
  /**
   * The fault of the end, as a sentence. `head` is the end according to the database: undefined
   * without a database, as in a file; null if it is missing.
   */
  end(head: AuditHead | null | undefined): string | null
}

/**
 * `from` is the first entry's number; any number when it is null, as in a file. Unless it is 1, or
 * the one before it was noted, the hash that it holds of the one before is taken as it stands. Each
 * of
 * `noted` must be found again.
 */
export function createChainCheck(options: {
  readonly digest: ChainDigest
  readonly from: bigint | null
  readonly noted: readonly AuditHead[]
}): ChainCheck {
  const { digest, from, noted } = options
  let before: AuditHead | null =
    from === 1n ? GENESIS : (noted.find(({ number }) => number + 1n === from) ?? null)
  let last: ChainedEntry | null = null
  let count = 0
  let setBack: ChainCheck['clockSetBack'] = { count: 0, first: null }

  const sequenceFault = ({ number }: ChainedEntry): string | null => {
    const expected = before === null ? from : before.number + 1n
    if (expected === null || number === expected) return null
    if (number < expected) return `Entry ${number} comes again, or has no place there.`
    const missing =
      number === expected + 1n
        ? `Entry ${expected} is`
        : `Entries ${expected} to ${number - 1n} are`
    return `${missing} missing: ${number} comes instead.`
  }

  const contentFault = (entry: ChainedEntry): string | null => {
    const { number, previousHash, hash } = entry
    const preceding = number === 1n ? GENESIS : before
    if (preceding !== null && previousHash !== preceding.hash) {
      const start = number === 1n ? 'the start of the log' : `entry ${preceding.number}`
      return (
        `Entry ${number} does not follow from ${start}: the hash of what comes before it is another ` +
        'one. Entries were put in, taken out or swapped here.'
      )
    }
    if (digest(previousHash, hashedText(entry)) !== hash) {
      return `Entry ${number} was changed: its contents do not have the hash that it was given.`
    }
    const note = noted.find((each) => each.number === number)
    if (note !== undefined && note.hash !== hash) {
      return (
        `Entry ${number} is not the one that was noted: the note says ${note.hash}, the log ${hash}. ` +
        'It, or entries before it, were rewritten since.'
      )
    }
    return null
  }

  return {
    next(entry) {
      const fault = sequenceFault(entry) ?? contentFault(entry)
      if (fault !== null) return fault
      if (last !== null && entry.at < last.at) {
        setBack = { count: setBack.count + 1, first: setBack.first ?? entry.number }
      }
      before = entry
      last = entry
      count += 1
      return null
    },
    get last() {
      return last
    },
    get count() {
      return count
    },
    get clockSetBack() {
      return setBack
    },
    end(head) {
      const end = before ?? { number: (from ?? 1n) - 1n, hash: null }
      const beyond = noted.find(({ number }) => number > end.number)
      if (beyond !== undefined) {
        return (
          `Entry ${beyond.number} was noted, but the log ends with ${end.number}: ` +
          'its last entries were removed.'
        )
      }
      if (head === undefined) return null
      if (head === null) return 'The head of the log is missing: the row of audit_head was removed.'
      if (head.number > end.number) {
        return (
          `The head says that the log ends with entry ${head.number}, but the last one is ` +
          `${end.number}: entries were removed, or the head was changed.`
        )
      }
      if (head.number !== end.number || (end.hash !== null && head.hash !== end.hash)) {
        return (
          `The head says that the log ends with ${head.number}:${head.hash}, but the last entry is ` +
          `${end.number}:${end.hash}: the head was changed, or entries were put in.`
        )
      }
      return null
    },
  }
}

/** A head as it is noted, `2143:<64 hexadecimal digits>`; null for anything else. */
export function parseHead(text: string): AuditHead | null {
  const match = /^([1-9][0-9]{0,17}):([0-9a-f]{64})$/.exec(text)
  return match === null ? null : { number: BigInt(match[1] ?? ''), hash: match[2] ?? '' }
}

export function formatHead({ number, hash }: AuditHead): string {
  return `${number}:${hash}`
}
