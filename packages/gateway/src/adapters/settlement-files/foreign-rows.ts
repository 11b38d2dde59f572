import { parse, CsvError } from 'csv-parse'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { ForeignRow, type Columns, type RowRefused } from '../../domain/settlement/foreign-row.ts'
import { columnsOf } from '../../domain/settlement/mapping-check.ts'
import type { Mapping } from '../../domain/settlement/mapping.ts'
import { Decoder, fileFault, LONGEST_ROW } from './decoded-text.ts'
import { jsonRows } from './json-rows.ts'

const MOST_COLUMNS = 500

/**
 * The rows of an acquirer's file, one after the other, in constant memory.
 * @param onBytes sees all bytes of the file, in their sequence
 * @throws RowRefused for a file that is not of the mapping's format
 */
export async function* readForeignRows(
  path: string,
  mapping: Mapping,
  onBytes: (bytes: Buffer) => void,
): AsyncGenerator<ForeignRow> {
  const decoder = new Decoder(mapping.input, onBytes)
  const file = createReadStream(path)
  if (mapping.input.type === 'csv') yield* csvRows(file, decoder, mapping)
  else yield* jsonRows(file, decoder, mapping)
}

async function* csvRows(
  file: NodeJS.ReadableStream,
  decoder: Decoder,
  mapping: Mapping,
): AsyncGenerator<ForeignRow> {
  const parser = parse({
    delimiter: mapping.input.delimiter ?? ',',
    max_record_size: LONGEST_ROW,
    skip_empty_lines: true,
    info: true,
    relax_column_count: true,
  })
  const piped = pipeline(file, decoder, parser)
  // The loop below reports the failure; here it must only be noticed.
  piped.catch(() => undefined)
  let columns: Columns | null = null
  let line = 1
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      readonly record: string[]
      readonly info: { readonly lines: number }
    }>) {
      if (columns === null) columns = readHeader(record, mapping)
      else {
        if (record.length !== columns.size) {
          const remedy = 'Check "delimiter" in "input", and the quotes of this line.'
          throw fileFault(line, `${record.length} columns`, `${columns.size}`, remedy)
        }
        yield new ForeignRow(line, record, columns, mapping.input)
      }
      line = info.lines + 1
    }
    await piped
  } catch (error) {
    throw error instanceof CsvError ? csvFault(error) : error
  }
  if (columns === null)
    throw fileFault(1, 'an empty file', 'a line with names of columns', 'Check the file.')
}

function csvFault(error: CsvError): RowRefused {
  const line = Number(error['lines'] ?? 1)
  const isLong = error.code === 'CSV_MAX_RECORD_SIZE'
  const found = isLong
    ? `a row of more than ${LONGEST_ROW} characters`
    : 'a quote in the wrong place'
  return fileFault(line, found, 'rows of RFC 4180', 'Check "delimiter" in "input", and the quotes.')
}

function readHeader(names: readonly string[], mapping: Mapping): Columns {
  if (names.length > MOST_COLUMNS) {
    throw fileFault(1, `${names.length} columns`, `at most ${MOST_COLUMNS}`, 'Check "delimiter".')
  }
  const columns = new Map<string, number>()
  const doubled = new Set<string>()
  for (const [at, raw] of names.entries()) {
    const name = raw.trim()
    if (columns.has(name)) doubled.add(name)
    // A column without a name counts, so that rows have as many cells as there are columns.
    columns.set(columns.has(name) || name === '' ? `#${at}` : name, at)
  }
  const used = columnsOf(mapping)
  const missing = used.filter((name) => !columns.has(name))
  if (missing.length > 0) {
    const found = names
      .map((name) => JSON.stringify(name.slice(0, 60)))
      .join(', ')
      .slice(0, 600)
    const expected = missing.map((name) => JSON.stringify(name)).join(', ')
    throw fileFault(
      1,
      `the columns ${found}`,
      `also ${expected}`,
      'Correct the names in the mapping.',
    )
  }
  const twice = used.find((name) => doubled.has(name))
  if (twice === undefined) return columns
  throw fileFault(
    1,
    `two columns "${twice}"`,
    'one',
    'Ask the acquirer for a file with unique names.',
  )
}
