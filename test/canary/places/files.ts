import { join } from 'node:path'
import { filesUnder } from '../files-under.ts'
import type { Place } from '../place.ts'

/**
 * Data folder and temporary files: tables, write-ahead log, server log, the bank's books, names.
 */
export const files: Place = {
  name: 'files: database, write-ahead log, logs, books of the bank, temporary files',
  when: 'stopped',
  *collect(run) {
    for (const folder of ['data', 'tmp']) yield* filesUnder(join(run.folder, folder))
  },
}

/**
 * Files that commands write where an operator's arguments say: exports of the vault, and reports of
 * an import.
 */
export const writtenFiles: Place = {
  name: 'files that commands write',
  when: 'stopped',
  *collect(run) {
    yield* filesUnder(join(run.folder, 'written'))
  },
}
