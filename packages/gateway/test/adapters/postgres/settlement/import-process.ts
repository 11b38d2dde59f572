import { openDatabase } from '../../../../src/adapters/postgres/connection/database.ts'
import { createSettlementImportStore } from '../../../../src/adapters/postgres/settlement/import-store.ts'
import { importFile } from '../../../../src/usecases/settlement/import-file.ts'
import { fileBytes, newSha256 } from '../../../../src/wiring/settlement.ts'
import { AT } from './settlement-books.ts'

/**
 * Imports a file, for a test that kills this process. Prints the number of stored lines after each
 * portion. With `stop` as third argument it stands still after the first one.
 */
const [url = '', path = '', stop] = process.argv.slice(2)
const database = openDatabase(url, () => undefined)
await importFile(
  {
    store: createSettlementImportStore(database.files()),
    newSha256,
    clock: { now: () => AT },
    by: 'operator:test',
    onProgress(staged) {
      process.stdout.write(`${staged}\n`)
      if (stop !== undefined) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    },
  },
  fileBytes(path),
  null,
)
await database.close()
