import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { createTransact } from '../adapters/postgres/audit/admin-transaction.ts'
import { createDeadlineStore } from '../adapters/postgres/settlement/deadline-store.ts'
import { depositTx } from '../adapters/postgres/settlement/deposit-rows.ts'
import { createDepositWatchStore } from '../adapters/postgres/settlement/deposit-watch-store.ts'
import type { Sha256 } from '../domain/settlement/file-reader.ts'
import type { FileBytes } from '../usecases/settlement/import-file.ts'
import { raiseMissing } from '../usecases/settlement/raise-missing.ts'
import { watchDeposits } from '../usecases/settlement/watch-deposits.ts'
import type { Foundation } from './foundation.ts'
import type { Part } from './part.ts'
import { settlementFetchJobs } from './settlement-fetch.ts'

const LOOK_EVERY_MS = 60_000
const CHUNK_BYTES = 262_144

/**
 * Settlement files and bank statements. The jobs fetch the files of the bundled bank, and find
 * captures, refunds and payouts that are in none. They match entries that came before the file of
 * their payout.
 */
export function wireSettlement(foundation: Foundation): Part {
  const { clock, database, logger } = foundation
  const files = database.files()
  const deps = { store: createDeadlineStore(files), clock }
  const deposits = {
    store: createDepositWatchStore(files),
    transact: createTransact(files, depositTx),
    clock,
  }
  return {
    jobs: [
      {
        name: 'find missing settlements',
        everyMs: LOOK_EVERY_MS,
        async run() {
          const raised = await raiseMissing(deps)
          if (raised > 0) logger.warn({ raised }, 'captures or refunds are in no settlement file')
          return false
        },
      },
      ...settlementFetchJobs(foundation, newSha256, fileBytes),
      {
        name: 'match deposits',
        everyMs: LOOK_EVERY_MS,
        async run() {
          const { matched, raised } = await watchDeposits(deposits)
          if (matched > 0) logger.info({ matched }, 'entries of bank statements have a payout now')
          if (raised > 0) logger.warn({ raised }, 'payouts are in no bank statement')
          // Deposits have events, which an idle node would number a minute later.
          return matched + raised > 0
        },
      },
    ],
  }
}

/** A new SHA-256 of `node:crypto`. */
export function newSha256(): Sha256 {
  const hash = createHash('sha256')
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest('hex') }
}

/** The bytes of a file on this machine. */
export function fileBytes(path: string): FileBytes {
  return {
    name: basename(path),
    open: () => createReadStream(path, { highWaterMark: CHUNK_BYTES }),
  }
}
