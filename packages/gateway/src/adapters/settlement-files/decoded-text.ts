import { Transform, type TransformCallback } from 'node:stream'
import { RowRefused } from '../../domain/settlement/foreign-row.ts'
import type { MappingInput } from '../../domain/settlement/mapping.ts'

/** The longest line of JSON Lines, and the longest row of CSV, in characters. */
export const LONGEST_ROW = 65_536
const BOM = '\uFEFF'

/** Turns bytes into UTF-8 text without a byte order mark, and refuses bytes of another encoding. */
export class Decoder extends Transform {
  readonly #decoder: TextDecoder
  readonly #input: MappingInput
  readonly #onBytes: (bytes: Buffer) => void
  #isFirst = true

  constructor(input: MappingInput, onBytes: (bytes: Buffer) => void) {
    super()
    this.#input = input
    this.#onBytes = onBytes
    const name = input.encoding === 'latin1' ? 'latin1' : 'utf-8'
    this.#decoder = new TextDecoder(name, { fatal: true, ignoreBOM: true })
  }

  override _transform(bytes: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#onBytes(bytes)
    this.#pass(done, () => this.#decoder.decode(bytes, { stream: true }))
  }

  override _flush(done: TransformCallback): void {
    this.#pass(done, () => this.#decoder.decode())
  }

  #pass(done: TransformCallback, decode: () => string): void {
    try {
      const text = decode()
      done(null, this.#isFirst && text !== '' ? this.#withoutBom(text) : text)
    } catch (error) {
      if (error instanceof RowRefused) done(error)
      else
        done(
          fileFault(
            1,
            'bytes that are no text',
            this.#input.encoding,
            'Set "encoding" in "input".',
          ),
        )
    }
  }

  #withoutBom(text: string): string {
    this.#isFirst = false
    if (!text.startsWith(BOM)) return text
    if (this.#input.bom === 'allow') return text.slice(1)
    throw fileFault(1, 'a byte order mark', 'none', 'Set "bom": "allow" in "input".')
  }
}

/** A fault of the whole file, or of one of its lines. */
export function fileFault(
  line: number,
  found: string,
  expected: string,
  remedy: string,
): RowRefused {
  return new RowRefused({ line, column: null, found, expected, remedy })
}
