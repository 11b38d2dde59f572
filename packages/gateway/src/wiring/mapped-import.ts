import { basename } from 'node:path'
import type { TargetRequest } from '../adapters/postgres/settlement/mapped-target.ts'
import { convertForeignFile, sumForeignFile } from '../adapters/settlement-files/convert-file.ts'
import { readMappingFile } from '../adapters/settlement-files/mapping-file.ts'
import { refused, type Result } from '../base/refusal.ts'
import { headerFault, type FileTarget } from '../domain/settlement/canonical-header.ts'
import { faultText } from '../domain/settlement/foreign-row.ts'
import type { FileBytes, ImportOutcome } from '../usecases/settlement/import-file.ts'

/** The operations that the import of an acquirer's own file needs. */
interface MappedImportOperator {
  findTargets(request: TargetRequest): Promise<readonly FileTarget[]>
  importMapped(
    bytes: FileBytes,
    mapping: { readonly name: string; readonly version: number },
  ): Promise<ImportOutcome>
}

interface MappedFile {
  /** The text of the mapping. */
  readonly mapping: string
  readonly path: string
  /** The number of the file, where the mapping has none. */
  readonly seq: bigint | null
  /** Null where one source only has the account and currency. */
  readonly sender: string | null
}

const PORTION = 65_536

/** Imports an acquirer's own file by a mapping: all of it, or nothing. */
export async function importMappedFile(
  operator: MappedImportOperator,
  file: MappedFile,
): Promise<Result<{ readonly outcome: ImportOutcome }>> {
  const read = readMappingFile(file.mapping)
  if (!read.ok) return read
  const { mapping } = read
  const { path } = file
  const summed = await sumForeignFile(path, mapping, file.seq)
  const { currency, faults, faultCount, seq } = summed.summary
  if (faultCount > 0) return refused('invalid', faults.map(faultText))
  if (currency === null || seq === null) {
    return refused('invalid', headerFault(summed.summary) ?? 'The file is empty.')
  }
  const account = mapping.file.account.as
  const request = { account, currency: currency.code, seq, sender: file.sender }
  const [target, other] = await operator.findTargets(request)
  if (target === undefined) {
    const from = file.sender === null ? '' : ` of ${file.sender}`
    return refused(
      'missing',
      `No source${from} has the account ${account} in ${currency.code}; ` +
        'set it with "tollgate settlement source".',
    )
  }
  if (other !== undefined) {
    const senders = `${target.sender} and ${other.sender}`
    return refused('conflict', `${senders} both have the account ${account}; add --sender.`)
  }
  const bytes = { name: basename(path), open: () => portions(path, mapping, summed, target) }
  const outcome = await operator.importMapped(bytes, { name: mapping.mapping, version: mapping.v })
  return { ok: true, outcome }
}

async function* portions(
  ...args: Parameters<typeof convertForeignFile>
): AsyncGenerator<Uint8Array> {
  let waiting = ''
  for await (const text of convertForeignFile(...args)) {
    waiting += text
    if (waiting.length < PORTION) continue
    yield Buffer.from(waiting)
    waiting = ''
  }
  if (waiting !== '') yield Buffer.from(waiting)
}
