import {
  BankBooksError,
  bankSecretOf,
  noBankBooks,
  readControlAddress,
  reconcileNoted,
  SETTLE_MS,
} from '@tollgate/gateway/books'
import { join } from 'node:path'
import { AGREES, booksCommand, DIFFERS } from './books-command.ts'
import { describeReconciliation, reconciliationJson } from './recon-report.ts'

/** 0 when all books agree, 1 when they differ, 2 when they could not be compared. */
export const recon = booksCommand(
  'recon',
  "compare gateway, ledger and the bank's books; --json for programs",
  async ({ config, write, databaseUrl, hasOption, json, progress }) => {
    const missing = noBankBooks(config)
    if (missing !== null) throw new BankBooksError(missing)
    const found = await reconcileNoted(databaseUrl, hasOption, {
      controlUrl: readControlAddress(join(config.dataDir, 'bank', 'control-address')),
      readSecret: bankSecretOf(config),
      settleMs: SETTLE_MS,
      onProgress: ({ doing, orders }) => progress.set(`${doing}: ${orders} orders`),
    })
    write(json ? reconciliationJson(found) : describeReconciliation(found))
    return found.differences.length === 0 ? AGREES : DIFFERS
  },
  {
    name: 'since-last',
    help: 'with --since-last it compares what has changed since the last run',
  },
)
