import { request } from 'node:http'
import { join } from 'node:path'
import { readControlAddress } from '../../packages/gateway/src/adapters/bank-control/bank-books.ts'
import {
  settlementFiles,
  type BankSettlementFile,
} from '../../packages/gateway/src/adapters/bank-control/bank-settlement.ts'
import {
  bankSecretOf,
  booksHeaders,
} from '../../packages/gateway/src/adapters/bank-control/link-secret.ts'
import type { Secret } from '../../packages/gateway/src/base/secret.ts'

/** The bundled bank, as far as it settles the sample's accounts. An account is its DE 42. */
export interface SampleBank {
  /** Makes the files of everything that waits, dated by a business day: `2026-11-23`. */
  settle(account: string, day: string): Promise<void>
  /** Gives the next file a difference. @param currency ISO 4217 numeric */
  plant(account: string, currency: string, kind: string): Promise<void>
  listFiles(account: string): Promise<readonly BankSettlementFile[]>
}

/** Reaches the control API of the bank that runs in a data folder. */
export function createSampleBank(node: {
  readonly dataDir: string
  readonly bankSecret: Secret | null
}): SampleBank {
  const address = (): string => readControlAddress(join(node.dataDir, 'bank', 'control-address'))
  const readSecret = bankSecretOf(node)
  const post = (path: string, body: object): Promise<void> =>
    postJson(new URL(`/books/settlement${path}`, address()), booksHeaders(readSecret), body)
  return {
    settle: (account, day) => post('', { merchant: account, businessDate: day }),
    plant: (account, currency, kind) => post('/plants', { merchant: account, currency, kind }),
    listFiles: (account) => settlementFiles(address(), readSecret, account),
  }
}

/** Rejects unless the bank answers that it did it. */
function postJson(url: URL, headers: Readonly<Record<string, string>>, body: object) {
  return new Promise<void>((resolve, reject) => {
    const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const asked = request(url, options, (response) => {
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 201) resolve()
        else reject(new Error(`The bank answered ${url.pathname} with ${response.statusCode}.`))
      })
      response.resume()
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}
