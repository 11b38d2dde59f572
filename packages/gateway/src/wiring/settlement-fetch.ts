import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { BankBooksError, readControlAddress } from '../adapters/bank-control/bank-books.ts'
import {
  fetchSettlementFile,
  reachSettlementDay,
  settlementFiles,
} from '../adapters/bank-control/bank-settlement.ts'
import { bankSecretOf } from '../adapters/bank-control/link-secret.ts'
import { watchRefusedFiles } from '../adapters/metrics/settlement-metrics.ts'
import { createTransact } from '../adapters/postgres/audit/admin-transaction.ts'
import { createFetchStore } from '../adapters/postgres/settlement/fetch-store.ts'
import { createSettlementImportStore } from '../adapters/postgres/settlement/import-store.ts'
import { sourceTx } from '../adapters/postgres/settlement/source-store.ts'
import { currencyByNumeric } from '../domain/currency.ts'
import type { Sha256 } from '../domain/settlement/file-reader.ts'
import { LONG_IDLE_EVERY_MS, type Job } from '../jobs/worker.ts'
import { createFileFetcher, type OfferedFiles } from '../usecases/settlement/fetch-files.ts'
import type { FileBytes } from '../usecases/settlement/import-file.ts'
import type { Foundation } from './foundation.ts'

const FETCH_EVERY_MS = 5_000

/** Fetches the bundled bank's settlement files, on the nodes that run this bank. */
export function settlementFetchJobs(
  { actor, clock, config, database, logger, metrics }: Foundation,
  newSha256: () => Sha256,
  fileBytes: (path: string) => FileBytes,
): readonly Job[] {
  // The node that runs a shared bank fetches for all.
  if (config.bundledBank !== 'on') return []
  const files = database.files()
  const fetcher = createFileFetcher({
    store: createSettlementImportStore(files),
    newSha256,
    clock,
    by: actor,
    onProgress: () => undefined,
    // The connection for files closes between two looks, and opening one costs several commits.
    accounts: createFetchStore(database.pool),
    bank: offeredFiles(config, fileBytes),
    sources: createTransact(database.pool, sourceTx),
    onBooked: (file) => logger.info({ file }, 'a settlement file of the bundled bank is booked'),
    onRefused: (file, reason) =>
      logger.warn({ file, reason }, 'a settlement file of the bundled bank is refused'),
  })
  watchRefusedFiles(metrics.registry, fetcher.refusedCount)
  return [
    {
      name: 'fetch settlement files',
      everyMs: FETCH_EVERY_MS,
      idleEveryMs: LONG_IDLE_EVERY_MS,
      async run() {
        try {
          await fetcher.fetch()
        } catch (error) {
          // The bank is away, or not there yet. Other alarms say so.
          if (!(error instanceof BankBooksError)) throw error
        }
        return false
      },
    },
  ]
}

/**
 * Imports the new files of one test account at once. The answer is the last booked number of each
 * currency, and why files were refused.
 */
export async function importOnce(
  { actor, clock, config, database }: Foundation,
  accountId: bigint,
  newSha256: () => Sha256,
  fileBytes: (path: string) => FileBytes,
): Promise<{
  readonly booked: ReadonlyMap<string, bigint>
  readonly refusals: readonly string[]
}> {
  const refusals: string[] = []
  const store = createFetchStore(database.pool)
  const find = async (now: Date) =>
    (await store.findAccounts(now)).filter(({ id }) => id === accountId)
  const fetcher = createFileFetcher({
    store: createSettlementImportStore(database.files()),
    newSha256,
    clock,
    by: actor,
    onProgress: () => undefined,
    accounts: { findAccounts: find },
    bank: offeredFiles(config, fileBytes),
    sources: createTransact(database.pool, sourceTx),
    onBooked: () => undefined,
    onRefused: (file, reason) => refusals.push(`The file ${file} is refused: ${reason}`),
  })
  await fetcher.fetch()
  const [account] = await find(clock.now())
  return { booked: account?.lastSeqs ?? new Map<string, bigint>(), refusals }
}

function offeredFiles(
  config: Foundation['config'],
  fileBytes: (path: string) => FileBytes,
): OfferedFiles {
  const addressFile = join(config.dataDir, 'bank', 'control-address')
  const readSecret = bankSecretOf(config)
  return {
    reachDay: (account, day) =>
      reachSettlementDay(readControlAddress(addressFile), readSecret, account, day),
    async list(account) {
      const listed = await settlementFiles(readControlAddress(addressFile), readSecret, account)
      return listed.map(({ currency, name, seq }) => ({
        name,
        currency: currencyByNumeric(currency)?.code ?? currency,
        seq: BigInt(seq),
      }))
    },
    async withCopy(name, work) {
      const folder = await mkdtemp(join(tmpdir(), 'tollgate-settlement-'))
      try {
        // The name comes from the bank, so it is not used for a path.
        const path = join(folder, 'file.jsonl')
        await pipeline(
          await fetchSettlementFile(readControlAddress(addressFile), readSecret, name),
          createWriteStream(path, { mode: 0o600 }),
        ).catch((error: unknown) => {
          if (error instanceof BankBooksError) throw error
          throw new BankBooksError(`The settlement file ${name} was not received: ${error}.`)
        })
        return await work({ ...fileBytes(path), name })
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
