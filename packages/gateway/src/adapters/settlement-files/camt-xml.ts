import { createReadStream } from 'node:fs'
import { SaxesParser } from 'saxes'

/** The limits of a file. Real statements are far below them. */
const MOST_BYTES = 512 * 1024 * 1024
const MOST_DEPTH = 32
const MOST_ATTRIBUTES = 1_000
const LONGEST_TEXT = 65_536
const MOST_ELEMENTS = 500_000

const ISO = 'urn:iso:std:iso:20022:tech:xsd:'
const VERSIONS = ['02', '04', '06', '08', '13']

/** The namespaces that are read: ISO 20022, and a national variant by its name. */
export const NAMESPACES: ReadonlySet<string> = new Set([
  ...VERSIONS.flatMap((version) => [
    `${ISO}camt.053.001.${version}`,
    `${ISO}camt.054.001.${version}`,
  ]),
  'ISO:camt.053.001.02:APC:STUZZA:payments:003',
  'ISO:camt.054.001.02:APC:STUZZA:payments:003',
])

/** Why a bank's file is refused. The text has no account number. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused'
}

/** An element with the children that the reader knows. */
export interface Element {
  readonly name: string
  readonly currency: string | null
  text: string
  readonly children: Element[]
}

/** Which elements are kept, and which of them are handed over when they end. */
export interface Wanted {
  readonly known: ReadonlySet<string>
  /** Called with each element of such a name at depth 3 or 4, and the names above it. */
  readonly onElement: (element: Element, path: readonly string[]) => void
  readonly onOpen: (path: readonly string[]) => void
}

/**
 * Reads a file of ISO 20022 piece by piece. Entities, DOCTYPE and processing instructions are
 * refused, and so is everything that is not well-formed.
 * @returns how many elements were skipped because they are not known
 * @throws StatementRefused
 */
export async function readXml(
  path: string,
  wanted: Wanted,
  onBytes: (bytes: Buffer) => void,
): Promise<number> {
  const reader = new XmlReader(wanted)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let bytes = 0
  const decode = (chunk?: Buffer): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    } catch {
      throw new StatementRefused('The file is not UTF-8; get it from the bank in UTF-8.')
    }
  }
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MOST_BYTES) throw new StatementRefused('The file is larger than 512 MiB.')
    onBytes(chunk)
    reader.write(decode(chunk))
  }
  reader.write(decode())
  return reader.end()
}

class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: true })
  readonly #wanted: Wanted
  /** The names of the open elements, and those of them that are kept. */
  readonly #path: string[] = []
  readonly #kept: Element[] = []
  /** The depth at which a skipped element began; 0 for none. */
  #skippedFrom = 0
  #skipped = 0
  #elements = 0
  #namespace = ''
  #sinceTag = 0

  constructor(wanted: Wanted) {
    this.#wanted = wanted
    const parser = this.#parser
    parser.on('error', ({ message }) => {
      // The message names the element at most, and positions.
      throw new StatementRefused(`The file is no well-formed XML: ${message.slice(0, 160)}`)
    })
    parser.on('doctype', () => refuse('The file has a DOCTYPE, which statements never have.'))
    parser.on('processinginstruction', () => refuse('The file has a processing instruction.'))
    parser.on('xmldecl', ({ encoding }) => {
      if (encoding !== undefined && encoding.toUpperCase() !== 'UTF-8') {
        refuse(`The file declares the encoding ${encoding.slice(0, 40)}; expected UTF-8.`)
      }
    })
    parser.on('opentag', (tag) => {
      const names = Object.keys(tag.attributes)
      if (names.length > MOST_ATTRIBUTES) refuse('An element has more than 1,000 attributes.')
      this.#open(tag.local, tag.uri, tag.attributes['Ccy']?.value ?? null)
    })
    parser.on('text', (text) => this.#addText(text))
    parser.on('cdata', (text) => this.#addText(text))
    parser.on('closetag', () => this.#close())
  }

  write(text: string): void {
    this.#sinceTag += text.length
    this.#parser.write(text)
    if (this.#sinceTag > 4 * LONGEST_TEXT) refuse('A text or tag is longer than 64 KiB.')
  }

  end(): number {
    this.#parser.close()
    return this.#skipped
  }

  #open(name: string, uri: string, currency: string | null): void {
    this.#sinceTag = 0
    this.#path.push(name)
    const depth = this.#path.length
    if (depth > MOST_DEPTH) refuse(`Elements are nested more than ${MOST_DEPTH} deep.`)
    if (depth === 1) this.#checkRoot(name, uri)
    if (this.#skippedFrom > 0) {
      this.#skipped += 1
      return
    }
    if (uri !== this.#namespace || (depth > 3 && !this.#wanted.known.has(name))) {
      this.#skipped += 1
      this.#skippedFrom = depth
      return
    }
    if (depth <= 3) {
      this.#wanted.onOpen(this.#path)
      return
    }
    this.#elements += 1
    if (this.#elements > MOST_ELEMENTS) refuse('An entry has more than 500,000 elements.')
    const element = { name, currency, text: '', children: [] }
    this.#kept.at(-1)?.children.push(element)
    this.#kept.push(element)
  }

  #checkRoot(name: string, uri: string): void {
    if (name !== 'Document') refuse(`The file begins with ${name.slice(0, 60)}; expected Document.`)
    if (!NAMESPACES.has(uri)) {
      refuse(
        `The namespace "${uri.slice(0, 120)}" is not read; expected ${ISO}camt.053.001 ` +
          `in the versions ${VERSIONS.join(', ')}, or camt.054.001.`,
      )
    }
    this.#namespace = uri
  }

  #addText(text: string): void {
    const element = this.#kept.at(-1)
    const before = element?.text ?? ''
    if (before.length + text.length > LONGEST_TEXT) refuse('A text is longer than 64 KiB.')
    if (this.#skippedFrom === 0 && element !== undefined) element.text += text
  }

  #close(): void {
    this.#sinceTag = 0
    const depth = this.#path.length
    if (this.#skippedFrom > 0) {
      if (this.#skippedFrom === depth) this.#skippedFrom = 0
    } else if (depth > 3) {
      const element = this.#kept.pop()
      if (element !== undefined && this.#kept.length === 0) {
        this.#elements = 0
        this.#wanted.onElement(element, this.#path)
      }
    }
    this.#path.pop()
  }
}

function refuse(reason: string): never {
  throw new StatementRefused(reason)
}
