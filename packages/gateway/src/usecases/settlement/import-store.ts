import type { ChainPosition, SettlementSource } from '../../domain/settlement/file-chain.ts'
import type { FileHeader, FileLine, FileTrailer } from '../../domain/settlement/file-record.ts'

/** A whole file that was read and checked by itself. */
export interface CheckedFile {
  readonly header: FileHeader
  readonly trailer: FileTrailer
  /** SHA-256 of all bytes: the same file again has the same. */
  readonly bytesSha256: string
  /** The mapping that made the lines out of another format; null for a file of this format. */
  readonly mapping: { readonly name: string; readonly version: number } | null
}

/** The effects of the booking of a file. */
export interface BookedFile {
  readonly id: bigint
  readonly merchantId: bigint
  readonly lines: number
  /** Captures and refunds that the file settles, and that it rejects. */
  readonly settled: number
  readonly rejected: number
  readonly payouts: number
  /** Differences by code. */
  readonly differences: ReadonlyMap<string, number>
}

/** The tables that imports write. */
export interface SettlementImportStore {
  /** Id of the booked file with these bytes, or null. */
  findBooked(bytesSha256: string): Promise<bigint | null>
  /** The configured source of a file; null for a foreign one. */
  findSource(header: FileHeader): Promise<SettlementSource | null>
  /**
   * Runs `work` while no other process imports for the source; null where one does. A process that
   * dies loses the source with its connection.
   */
  holdSource<Done>(
    sourceId: bigint,
    work: (session: ImportSession) => Promise<Done>,
  ): Promise<Done | null>
  /** Records a refusal in the audit log. */
  recordRefusal(
    file: { readonly source: SettlementSource | null; readonly name: string },
    refusal: { readonly code: string; readonly line: number },
    by: string,
  ): Promise<void>
}

/** The import of one file, by the only process that imports for its source. */
export interface ImportSession {
  /** The last booked file of the source; null before the first one. */
  readPosition(): Promise<ChainPosition | null>
  /**
   * Makes the row of the file, or goes on with one that a dead process left. `staged` lines of it
   * are stored already. Lines of another file with this sequence number, never booked, are deleted.
   */
  stage(file: CheckedFile, by: string): Promise<{ readonly id: bigint; readonly staged: number }>
  /** Stores lines. The answer is the first line whose id was used before, or null. */
  addLines(fileId: bigint, sender: string, lines: readonly FileLine[]): Promise<FileLine | null>
  /** Deletes a file that is not booked, with its lines. */
  discard(fileId: bigint): Promise<void>
  /** Matches and posts all lines, and makes the file booked: one transaction. */
  book(fileId: bigint, at: Date, by: string): Promise<BookedFile>
}
