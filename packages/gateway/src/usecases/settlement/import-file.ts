import { chainFault } from '../../domain/settlement/file-chain.ts'
import { FileReader, type Sha256 } from '../../domain/settlement/file-reader.ts'
import {
  FileRefusedError,
  type FileHeader,
  type FileLine,
  type FileRefusal,
} from '../../domain/settlement/file-record.ts'
import type {
  BookedFile,
  CheckedFile,
  ImportSession,
  SettlementImportStore,
} from './import-store.ts'

/** The bytes of a canonical file. They are read twice: checked first, then stored. */
export interface FileBytes {
  /** For the audit log: the name of the file, without its folder. */
  readonly name: string
  open(): AsyncIterable<Uint8Array>
}

export interface ImportDeps {
  readonly store: SettlementImportStore
  readonly newSha256: () => Sha256
  readonly clock: { now(): Date }
  /** The actor of the audit log. */
  readonly by: string
  /** Called after each portion of stored lines. */
  readonly onProgress: (staged: number, of: number) => void
}

export type ImportOutcome =
  | { readonly kind: 'booked'; readonly file: BookedFile }
  /** The same bytes were imported before: nothing was changed. */
  | { readonly kind: 'repeated'; readonly fileId: bigint }
  | { readonly kind: 'refused'; readonly refusal: FileRefusal }
  /** Another process imports a file of the same source. */
  | { readonly kind: 'busy' }

const STORED_AT_ONCE = 5_000

/**
 * Imports a file of the format `tollgate-settlement`: all of it, or nothing. The same bytes again
 * change nothing. After the death of the process, the same call goes on with what was stored.
 *
 * @param mapping the mapping that made the bytes out of another format; null for none
 */
export async function importFile(
  deps: ImportDeps,
  bytes: FileBytes,
  mapping: CheckedFile['mapping'],
): Promise<ImportOutcome> {
  try {
    const file = { ...(await checkFile(deps, bytes)), mapping }
    const booked = await deps.store.findBooked(file.bytesSha256)
    if (booked !== null) return { kind: 'repeated', fileId: booked }
    return await importChecked(deps, bytes, file)
  } catch (error) {
    if (!(error instanceof FileRefusedError)) throw error
    const { refusal } = error
    await deps.store.recordRefusal({ source: null, name: bytes.name }, refusal, deps.by)
    return { kind: 'refused', refusal }
  }
}

/** Reads a whole file and checks what it proves by itself. @throws FileRefusedError */
async function checkFile(
  { newSha256 }: ImportDeps,
  bytes: FileBytes,
): Promise<Omit<CheckedFile, 'mapping'>> {
  const reader = new FileReader(newSha256())
  const whole = newSha256()
  for await (const chunk of bytes.open()) {
    whole.update(chunk)
    reader.push(chunk)
  }
  return { ...reader.end(), bytesSha256: whole.hex() }
}

async function importChecked(
  deps: ImportDeps,
  bytes: FileBytes,
  file: CheckedFile,
): Promise<ImportOutcome> {
  const { store } = deps
  const { header } = file
  const source = await store.findSource(header)
  if (source === null) throw new FileRefusedError('S10', 1, foreign(header))
  const outcome = await store.holdSource(source.id, async (session): Promise<ImportOutcome> => {
    // Another process may have booked the file before this one held the source.
    const booked = await store.findBooked(file.bytesSha256)
    if (booked !== null) return { kind: 'repeated', fileId: booked }
    const fault = chainFault(header, source, await session.readPosition())
    if (fault !== null) throw new FileRefusedError(fault.code, fault.line, fault.reason)
    const { id, staged } = await session.stage(file, deps.by)
    await storeLines(deps, bytes, file, { session, id, staged })
    return { kind: 'booked', file: await session.book(id, deps.clock.now(), deps.by) }
  })
  return outcome ?? { kind: 'busy' }
}

function foreign({ account, currency, sender }: FileHeader): string {
  return `No source has the sender ${sender}, the account ${account} and the currency ${currency}.`
}

/** Stores the lines that are not stored yet. @throws FileRefusedError S15 */
async function storeLines(
  { newSha256, onProgress }: ImportDeps,
  bytes: FileBytes,
  { header, trailer, bytesSha256 }: CheckedFile,
  to: { readonly session: ImportSession; readonly id: bigint; readonly staged: number },
): Promise<void> {
  const { id, session, staged } = to
  const reader = new FileReader(newSha256())
  const whole = newSha256()
  let waiting: FileLine[] = []
  const flush = async (): Promise<void> => {
    const used = await session.addLines(id, header.sender, waiting)
    if (used !== null) {
      await session.discard(id)
      throw new FileRefusedError('S15', used.n + 1, `The id ${used.id} was used before.`)
    }
    onProgress(waiting.at(-1)?.n ?? staged, trailer.lines)
    waiting = []
  }
  for await (const chunk of bytes.open()) {
    whole.update(chunk)
    for (const line of reader.push(chunk)) {
      if (line.n > staged) waiting.push(line)
      if (waiting.length >= STORED_AT_ONCE) await flush()
    }
  }
  if (waiting.length > 0) await flush()
  reader.end()
  if (whole.hex() === bytesSha256) return
  await session.discard(id)
  throw new FileRefusedError('S06', 1, 'The file changed while it was imported.')
}
