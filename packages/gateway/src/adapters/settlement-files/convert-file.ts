import { createHash } from 'node:crypto'
import { canonicalHeader } from '../../domain/settlement/canonical-header.ts'
import type { FileTarget } from '../../domain/settlement/canonical-header.ts'
import { headerText, lineText, trailerText } from '../../domain/settlement/canonical-text.ts'
import { FileRefusedError } from '../../domain/settlement/file-record.ts'
import { createForeignFile, type ForeignSummary } from '../../domain/settlement/foreign-file.ts'
import { RowRefused } from '../../domain/settlement/foreign-row.ts'
import type { Mapping } from '../../domain/settlement/mapping.ts'
import { readForeignRows } from './foreign-rows.ts'

/** The sums of an acquirer's file by a mapping, and the hash of its bytes. */
export interface SummedFile {
  readonly summary: ForeignSummary
  /** SHA-256 of the file's bytes, hexadecimal. */
  readonly sha256: string
}

/**
 * Reads an acquirer's file once. Writes nothing, and reports faults instead of throwing them.
 * @param seq the number of the file, where the mapping has none
 */
export async function sumForeignFile(
  path: string,
  mapping: Mapping,
  seq: bigint | null,
): Promise<SummedFile> {
  const hash = createHash('sha256')
  const file = createForeignFile(mapping, seq, digest)
  let stopped: RowRefused | null = null
  try {
    for await (const row of readForeignRows(path, mapping, (bytes) => hash.update(bytes))) {
      file.add(row)
    }
  } catch (error) {
    if (!(error instanceof RowRefused)) throw error
    stopped = error
  }
  const summary = file.end()
  return {
    summary: stopped === null ? summary : withFault(summary, stopped),
    sha256: hash.digest('hex'),
  }
}

function withFault(summary: ForeignSummary, { fault }: RowRefused): ForeignSummary {
  return {
    ...summary,
    faults: [...summary.faults, fault],
    faultCount: summary.faultCount + 1,
  }
}

/**
 * The same file as text of `tollgate-settlement` v1, line by line in constant memory. The caller
 * summed the file and found no faults.
 * @throws FileRefusedError when the file has changed since
 */
export async function* convertForeignFile(
  path: string,
  mapping: Mapping,
  summed: SummedFile,
  target: FileTarget,
): AsyncGenerator<string> {
  const { header, currency } = canonicalHeader(mapping, summed.summary, summed.sha256, target)
  const source = createHash('sha256')
  const hash = createHash('sha256')
  const pass = (text: string): string => {
    hash.update(text)
    return text
  }
  yield pass(headerText(header, currency))
  const file = createForeignFile(mapping, target.seq, digest)
  for await (const row of readForeignRows(path, mapping, (bytes) => source.update(bytes))) {
    const line = file.add(row)
    if (line !== null) yield pass(lineText(line, currency, header.valueDate))
  }
  const summary = file.end()
  if (source.digest('hex') !== summed.sha256 || summary.faultCount > 0) {
    throw new FileRefusedError('S06', 1, 'The file was changed while it was read; import it again.')
  }
  const { rows, byKind, gross, fees, net } = summary
  const closing = header.openingMinor + net
  const sha256 = hash.digest('hex')
  yield trailerText({ lines: rows, byKind, gross, fees, net, closing, sha256 }, currency)
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
