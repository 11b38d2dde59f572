import { join } from 'node:path'
import { readControlAddress } from '../../packages/gateway/src/adapters/bank-control/bank-books.ts'
import {
  booksHeaders,
  bankSecretOf,
} from '../../packages/gateway/src/adapters/bank-control/link-secret.ts'
import type { Stage } from './stage.ts'

const PATIENCE_MS = 5_000

/**
 * Asks the bank's control API; with a body it is a POST. Rejects while the bank is away.
 * @param path of the books, such as `settlement`
 */
export async function askBank(
  { bankFolder, dataDir }: Pick<Stage, 'bankFolder' | 'dataDir'>,
  path: string,
  body: object | null,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const address = readControlAddress(join(bankFolder, 'control-address'))
  const headers = booksHeaders(bankSecretOf({ bankSecret: null, dataDir }))
  const sent =
    body === null
      ? { headers }
      : {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        }
  const answer = await fetch(`${address}/books/${path}`, {
    ...sent,
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  return { status: answer.status, body: await answer.json() }
}
