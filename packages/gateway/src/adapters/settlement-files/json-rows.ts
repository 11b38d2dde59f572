import { pipeline } from 'node:stream/promises'
import { ForeignRow, type Columns } from '../../domain/settlement/foreign-row.ts'
import { columnsOf } from '../../domain/settlement/mapping-check.ts'
import type { Mapping } from '../../domain/settlement/mapping.ts'
import { fileFault, LONGEST_ROW, type Decoder } from './decoded-text.ts'

const MOST_DEPTH = 4

/** The rows of a file of JSON Lines; those of inner objects as `outer.inner`. */
export async function* jsonRows(
  file: NodeJS.ReadableStream,
  decoder: Decoder,
  mapping: Mapping,
): AsyncGenerator<ForeignRow> {
  const used = columnsOf(mapping)
  const columns: Columns = new Map(used.map((name, at) => [name, at]))
  const piped = pipeline(file, decoder)
  piped.catch(() => undefined)
  let line = 0
  for await (const text of linesOf(decoder)) {
    line += 1
    if (text.length > LONGEST_ROW) {
      throw fileFault(
        line,
        `${text.length} characters`,
        `at most ${LONGEST_ROW}`,
        'Check the file.',
      )
    }
    if (text.trim() === '') continue
    const fields = readJsonRow(text, line)
    yield new ForeignRow(
      line,
      used.map((name) => fields.get(name) ?? ''),
      columns,
      mapping.input,
    )
  }
  await piped
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk.toString('utf8')).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > LONGEST_ROW) {
      throw fileFault(
        1,
        `a line of more than ${LONGEST_ROW} characters`,
        'shorter lines',
        'Check the file.',
      )
    }
  }
  if (rest !== '') yield rest
}

/** Keeps the digits of a number as the file has them; floats would change them. */
const parseExact = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown

/** The values of an object by their names; those of an inner object as `outer.inner`. */
function readJsonRow(text: string, line: number): Map<string, string> {
  let record: unknown
  try {
    record = parseExact(text, (_, value, { source }) =>
      typeof value === 'number' ? (source ?? String(value)) : value,
    )
  } catch {
    throw fileFault(line, 'no JSON', 'an object in each line', 'Check "type" in "input".')
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    throw fileFault(line, 'no object', 'an object in each line', 'Check "type" in "input".')
  }
  const fields = new Map<string, string>()
  flatten(record, '', MOST_DEPTH, fields)
  return fields
}

function flatten(record: object, prefix: string, depth: number, into: Map<string, string>): void {
  for (const [name, value] of Object.entries(record) as [string, unknown][]) {
    if (typeof value === 'string') into.set(prefix + name, value)
    else if (typeof value === 'boolean') into.set(prefix + name, String(value))
    else if (typeof value === 'object' && value !== null && !Array.isArray(value) && depth > 1) {
      flatten(value, `${prefix}${name}.`, depth - 1, into)
    }
  }
}
