import { request } from 'node:http'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { BankBooksError, getFromBank } from './bank-books.ts'
import { booksHeaders, type ReadBankSecret } from './link-secret.ts'

const FILES = z.object({
  files: z.array(
    z.object({
      name: z.string(),
      merchant: z.string(),
      currency: z.string(),
      seq: z.number(),
      businessDate: z.string(),
      lines: z.number(),
      sha256: z.string(),
    }),
  ),
})

/** A settlement file at the bundled bank. `merchant` is DE 42, `currency` ISO 4217 numeric. */
export type BankSettlementFile = z.infer<typeof FILES>['files'][number]

/** The time within which the bank must begin its answer, and the longest silence in it. */
const SILENCE_MS = 30_000

/**
 * The settlement files of one merchant account (its id at the acquirer, DE 42), by currency and
 * sequence number.
 * @throws BankBooksError when they cannot be read
 */
export async function settlementFiles(
  controlUrl: string,
  readSecret: ReadBankSecret,
  account: string,
): Promise<readonly BankSettlementFile[]> {
  try {
    const url = new URL('/books/settlement', controlUrl)
    url.searchParams.set('merchant', account)
    const answer = await text(await getFromBank(url, booksHeaders(readSecret), SILENCE_MS))
    return FILES.parse(JSON.parse(answer)).files
  } catch (error) {
    throw unreadable(controlUrl, error)
  }
}

/**
 * The bytes of a settlement file by its name: JSON Lines, or CSV for a name that ends with `.csv`.
 *
 * The stream fails when the bank ends its answer early.
 * @throws BankBooksError when the bank does not answer with the file
 */
export async function fetchSettlementFile(
  controlUrl: string,
  readSecret: ReadBankSecret,
  name: string,
): Promise<Readable> {
  try {
    const url = new URL('/books/settlement/file', controlUrl)
    url.searchParams.set('name', name)
    return await getFromBank(url, booksHeaders(readSecret), SILENCE_MS)
  } catch (error) {
    throw unreadable(controlUrl, error)
  }
}

/**
 * States the day of a merchant account's test sites to the bank, which makes the settlement files
 * of the days before it.
 * @param account its id at the acquirer, DE 42
 * @param day `YYYY-MM-DD`
 * @throws BankBooksError when the bank does not confirm it
 */
export async function reachSettlementDay(
  controlUrl: string,
  readSecret: ReadBankSecret,
  account: string,
  day: string,
): Promise<void> {
  const url = new URL('/books/settlement/days', controlUrl)
  const headers = { ...booksHeaders(readSecret), 'content-type': 'application/json' }
  try {
    await new Promise<void>((resolve, reject) => {
      const options = { method: 'POST', headers, timeout: SILENCE_MS }
      const asked = request(url, options, (response) => {
        response.on('error', reject)
        response.on('end', () => {
          if (response.statusCode === 201) resolve()
          else reject(new Error(`it answered with HTTP status ${response.statusCode}`))
        })
        response.resume()
      })
      asked.on('timeout', () => asked.destroy(new Error('it fell silent')))
      asked.on('error', reject)
      asked.end(JSON.stringify({ merchant: account, day }))
    })
  } catch (error) {
    throw unreadable(controlUrl, error)
  }
}

function unreadable(controlUrl: string, error: unknown): BankBooksError {
  const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
  return new BankBooksError(
    `The bank's settlement files cannot be read at ${controlUrl}: ${reason}. ` +
      'Make sure that the bank runs, and try again.',
  )
}
