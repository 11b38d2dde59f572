import { readControlAddress, reconcileBooks } from '@tollgate/gateway/books'
import { join } from 'node:path'
import { AGREES, DIFFERS, runBooksCommand, type BooksCommandOptions } from './books-command.ts'
import { describeReconciliation, reconciliationJson } from './recon-report.ts'

/**
 * `tollgate recon`: 0 when all books agree, 1 when they differ, 2 when they could not be compared.
 */
export function runRecon(options: BooksCommandOptions): Promise<number> {
  const { config, print } = options
  return runBooksCommand('recon', options, async ({ databaseUrl, json, progress }) => {
    const found = await reconcileBooks(databaseUrl, {
      controlUrl: readControlAddress(join(config.dataDir, 'bank', 'control-address')),
      merchantId: null,
      onProgress: ({ doing, orders }) => progress.set(`${doing}: ${orders} orders`),
    })
    print(json ? reconciliationJson(found) : describeReconciliation(found))
    return found.differences.length === 0 ? AGREES : DIFFERS
  })
}
