import { constants, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { readRecordAt } from './journal-file.ts'
import type { JournalPosition } from './journal-file.ts'
import { sealRecord } from './journal-record.ts'
import type { JournalRecord, RecordDraft } from './journal-record.ts'

/** Lines that are written and synced together; all their callers await the same promise. */
interface Group {
  readonly lines: string[]
  readonly synced: Promise<void>
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/**
 * The append-only file of records. Records are grouped: while one group is written and synced, the
 * next one forms. After a failed write or sync the end of the file is unknown. So the journal then
 * refuses all further work and calls `onFailure` once.
 */
export class Journal {
  readonly #file: FileHandle
  readonly #onFailure: (error: unknown) => void
  #writtenTo: number
  #end: JournalPosition
  #forming: Group | null = null
  #writing: Group | null = null
  #failure: unknown = null

  private constructor(file: FileHandle, end: JournalPosition, onFailure: (error: unknown) => void) {
    this.#file = file
    this.#writtenTo = end.offset
    this.#end = end
    this.#onFailure = onFailure
  }

  /** Opens or creates the file and truncates it at `end`. */
  static async open(
    path: string,
    end: JournalPosition,
    onFailure: (error: unknown) => void,
  ): Promise<Journal> {
    const file = await open(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    const { size } = await file.stat()
    if (size > end.offset) {
      await file.truncate(end.offset)
      await file.datasync()
    }
    return new Journal(file, end, onFailure)
  }

  /** The position of the next record. */
  get end(): JournalPosition {
    return this.#end
  }

  /**
   * Adds a record. The promise resolves when it is on the disk, and rejects when that cannot be
   * known. Records get their numbers in the order of the calls.
   */
  append(draft: RecordDraft): Promise<void> {
    if (this.#failure !== null) return this.#refuse()
    const { seq, hash: prev, offset } = this.#end
    const sealed = sealRecord({ seq: seq + 1, prev, ...draft })
    this.#end = {
      seq: seq + 1,
      hash: sealed.hash,
      offset: offset + sealed.line.length + 1,
    }
    const group = (this.#forming ??= this.#startGroup())
    group.lines.push(sealed.line)
    return group.synced
  }

  /** Resolves when all records added so far are on the disk. */
  flushed(): Promise<void> {
    if (this.#failure !== null) return this.#refuse()
    return this.#forming?.synced ?? this.#writing?.synced ?? Promise.resolve()
  }

  /** The record at an offset; it must be flushed. */
  read(offset: number): Promise<JournalRecord> {
    return readRecordAt(this.#file, offset)
  }

  /** Flushes and closes the file. */
  async close(): Promise<void> {
    try {
      await this.flushed()
    } finally {
      await this.#file.close()
    }
  }

  /** Closes the file as it is. Unflushed records may be lost; none of them was answered. */
  async abandon(): Promise<void> {
    this.#failure ??= new Error('The journal was abandoned.')
    await this.#file.close()
  }

  #refuse(): Promise<void> {
    const refused = Promise.reject(this.#failure)
    refused.catch(ignore)
    return refused
  }

  #startGroup(): Group {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    promise.catch(ignore)
    // Deferred to the end of this turn, so that all messages of one read share a group.
    if (this.#writing === null) setImmediate(() => void this.#writeGroups())
    return { lines: [], synced: promise, resolve, reject }
  }

  async #writeGroups(): Promise<void> {
    while (this.#forming !== null && this.#failure === null) {
      const group = this.#forming
      this.#forming = null
      this.#writing = group
      try {
        this.#write(Buffer.from(`${group.lines.join('\n')}\n`, 'latin1'))
        await this.#file.datasync()
        group.resolve()
      } catch (error) {
        this.#fail(error, group)
      }
    }
    this.#writing = null
  }

  /** A copy into the system's memory, which takes less time than a task for another thread. */
  #write(bytes: Buffer): void {
    let done = 0
    while (done < bytes.length) {
      const left = bytes.length - done
      const bytesWritten = writeSync(this.#file.fd, bytes, done, left, this.#writtenTo)
      done += bytesWritten
      this.#writtenTo += bytesWritten
    }
  }

  #fail(error: unknown, group: Group): void {
    this.#failure = error ?? new Error('The journal could not be written.')
    group.reject(this.#failure)
    this.#forming?.reject(this.#failure)
    this.#forming = null
    this.#onFailure(this.#failure)
  }
}

/** Callers that await a record get its rejection; an unawaited one must not end the process. */
function ignore(): void {}
