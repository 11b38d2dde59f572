import { invariant } from '../../base/invariant.ts'
import type { Currency } from '../currency.ts'
import { checkLine, FileSums } from './file-checks.ts'
import {
  FileRefusedError,
  type FileHeader,
  type FileLine,
  type FileTrailer,
} from './file-record.ts'
import { readHeader, readLine, readObject, readTrailer } from './read-record.ts'

/** A running SHA-256. */
export interface Sha256 {
  update(bytes: Uint8Array): void
  /** Ends it. */
  hex(): string
}

/** The longest line of a file, in bytes. */
export const LONGEST_LINE = 65_536
const LINE_FEED = 0x0a
const NOTHING = new Uint8Array(0)

/**
 * Reads a settlement file chunk by chunk, and checks all that the file by itself proves: the
 * refusals S01 to S09, S16 and S17. It keeps one line and the sums.
 */
export class FileReader {
  #rest: Uint8Array = NOTHING
  #at = 0
  #file: {
    readonly header: FileHeader
    readonly currency: Currency
    readonly sums: FileSums
  } | null = null
  #trailer: FileTrailer | null = null
  readonly #digest: Sha256
  // A byte order mark is not in the format, and stays, so that it is no JSON.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

  /** @param digest of the bytes before the trailer; the reader updates and ends it */
  constructor(digest: Sha256) {
    this.#digest = digest
  }

  /** Null until the first line was read. */
  get header(): FileHeader | null {
    return this.#file?.header ?? null
  }

  /**
   * The lines that end in this chunk.
   * @throws FileRefusedError
   */
  push(chunk: Uint8Array): FileLine[] {
    const lines: FileLine[] = []
    let from = 0
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from)
      const piece = chunk.subarray(from, end < 0 ? chunk.length : end + 1)
      if (this.#rest.length + piece.length > LONGEST_LINE + 1) {
        throw new FileRefusedError('S17', this.#at + 1, `It is longer than ${LONGEST_LINE} bytes.`)
      }
      const bytes = this.#rest.length === 0 ? piece : joined(this.#rest, piece)
      if (end < 0) {
        // A copy: the caller may fill its chunk again.
        this.#rest = bytes.slice()
        return lines
      }
      this.#rest = NOTHING
      from = end + 1
      const line = this.#read(bytes)
      if (line !== null) lines.push(line)
    }
  }

  /**
   * Header and trailer of the whole file.
   * @throws FileRefusedError
   */
  end(): { readonly header: FileHeader; readonly trailer: FileTrailer } {
    const last = this.#at + 1
    if (this.#rest.length > 0 && !this.#endsWithTrailer(this.#rest)) {
      const reason = 'The file ends in the middle of a line: it is cut off.'
      throw new FileRefusedError('S02', last, reason)
    }
    const header = this.header
    if (header === null) throw new FileRefusedError('S02', 1, 'The file is empty.')
    if (this.#trailer === null) {
      throw new FileRefusedError('S02', this.#at, 'The file ends without a trailer (r is "T").')
    }
    return { header, trailer: this.#trailer }
  }

  #endsWithTrailer(bytes: Uint8Array): boolean {
    try {
      this.#read(bytes)
    } catch (error) {
      if (error instanceof FileRefusedError && error.refusal.code === 'S01') return false
      throw error
    }
    return true
  }

  #read(bytes: Uint8Array): FileLine | null {
    this.#at += 1
    const record = readObject(this.#decode(bytes), this.#at)
    if (this.#trailer !== null) {
      throw new FileRefusedError('S02', this.#at, 'The trailer is not the last line.')
    }
    if (this.#file === null) {
      if (record['r'] !== 'H') {
        throw new FileRefusedError('S02', 1, 'The first line is no header (r is "H").')
      }
      const { currency, header } = readHeader(record)
      this.#file = { header, currency, sums: new FileSums(currency, header.openingMinor) }
      this.#digest.update(bytes)
      return null
    }
    if (record['r'] === 'T') {
      this.#readTrailer(record)
      return null
    }
    if (record['r'] !== 'L') {
      const reason = `r is ${JSON.stringify(record['r'])?.slice(0, 20)}; expected "L" or "T".`
      throw new FileRefusedError('S02', this.#at, reason)
    }
    this.#digest.update(bytes)
    const { currency, header, sums } = this.#file
    const line = readLine(record, this.#at, { currency, valueDate: header.valueDate })
    sums.add(line, this.#at)
    checkLine(line, this.#at, currency)
    return line
  }

  #readTrailer(record: ReturnType<typeof readObject>): void {
    invariant(this.#file !== null, 'a trailer is read after the header')
    const { currency, sums } = this.#file
    this.#trailer = readTrailer(record, this.#at, currency)
    sums.compare(this.#trailer, this.#digest.hex(), this.#at)
  }

  #decode(bytes: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes)
    } catch {
      throw new FileRefusedError('S01', this.#at, 'The line is not UTF-8.')
    }
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(first.length + second.length)
  bytes.set(first)
  bytes.set(second, first.length)
  return bytes
}
