import { readFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { currencyByNumeric } from '../../domain/currency.ts'
import type { BankOrder } from '../../usecases/books/reconcile.ts'
import { booksHeaders, type ReadBankSecret } from './link-secret.ts'

/** The bank's books cannot be had, or not all of them. The message is a whole sentence or two. */
export class BankBooksError extends Error {
  override readonly name = 'BankBooksError'
}

const amount = z.string().regex(/^\d+$/)
const ORDER = z.object({
  acquirer: z.string(),
  terminal: z.string(),
  stan: z.string(),
  transmittedAt: z.string(),
  currency: z.string().nullable(),
  approvedMinor: amount,
  capturedMinor: amount,
  refundedMinor: amount,
})
const LAST = z.object({ end: z.literal(true), orders: z.number() })
const LINE = z.union([LAST, ORDER])

const TERMINALS = z.object({
  terminals: z.array(z.object({ acquirer: z.string(), terminal: z.string(), stan: z.string() })),
})

/** The highest STAN that the bank has seen of one terminal. */
export type BankTerminal = z.infer<typeof TERMINALS>['terminals'][number]

/** No byte for this long is a bank that has stopped, not one that is slow. */
export const SILENCE_MS = 30_000

/**
 * The base URL of the bank's control API, out of the file that the bank leaves in its folder.
 * @throws BankBooksError when there is none.
 */
export function readControlAddress(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BankBooksError(
      `The address of the bank's control API cannot be read from ${file} (${code}). Only the ` +
        'bundled bank can be compared with, on the machine and with the DATA_DIR that it runs in: ' +
        'start Tollgate there first.',
    )
  }
}

/** Reads the bank's orders one by one. Fails with BankBooksError unless every one of them came. */
export function readBankBooks(
  controlUrl: string,
  readSecret: ReadBankSecret,
): AsyncGenerator<BankOrder> {
  return readOrders(controlUrl, () =>
    getFromBank(new URL('/books/orders', controlUrl), booksHeaders(readSecret), SILENCE_MS),
  )
}

/** The orders in an answer of the bank, one by one. Fails as `readBankBooks` does. */
export async function* readOrders(
  controlUrl: string,
  ask: () => Promise<IncomingMessage>,
): AsyncGenerator<BankOrder> {
  let orders = 0
  let isWhole = false
  try {
    const response = await ask()
    for await (const each of createInterface({ input: response, crlfDelay: Infinity })) {
      const line = readLine(each)
      if ('end' in line) {
        isWhole = line.orders === orders
        break
      }
      orders += 1
      yield line
    }
  } catch (error) {
    if (error instanceof BankBooksError) throw error
    throw unreadable(controlUrl, error)
  }
  if (!isWhole) {
    throw new BankBooksError(
      `The bank's books are incomplete: ${orders} orders came, and then no line that confirms ` +
        'their number. Try again; nothing was compared.',
    )
  }
}

function readLine(given: string): BankOrder | z.infer<typeof LAST> {
  let line: z.infer<typeof LINE>
  try {
    line = LINE.parse(JSON.parse(given))
  } catch {
    throw new BankBooksError(
      "The bank's books hold a line that is none of theirs. Gateway and bank are of two versions, " +
        'or the answer was cut off: restart Tollgate and try again.',
    )
  }
  if ('end' in line) return line
  const { currency, approvedMinor, capturedMinor, refundedMinor, ...identity } = line
  return {
    ...identity,
    // An unknown currency differs from every known one.
    currency: currency === null ? null : (currencyByNumeric(currency)?.code ?? currency),
    figures: {
      approvedMinor: BigInt(approvedMinor),
      capturedMinor: BigInt(capturedMinor),
      refundedMinor: BigInt(refundedMinor),
    },
  }
}

/** A start does not wait longer than this for the bank. */
const TERMINALS_WITHIN_MS = 5_000

/**
 * Every terminal that the bank remembers a message of.
 * @throws BankBooksError when they cannot be read
 */
export async function readBankTerminals(
  controlUrl: string,
  readSecret: ReadBankSecret,
): Promise<readonly BankTerminal[]> {
  try {
    const url = new URL('/books/terminals', controlUrl)
    const answer = await text(await getFromBank(url, booksHeaders(readSecret), TERMINALS_WITHIN_MS))
    return TERMINALS.parse(JSON.parse(answer)).terminals
  } catch (error) {
    throw new BankBooksError(
      `The bank's terminals cannot be read at ${controlUrl}: ${reasonOf(error)}.`,
    )
  }
}

/** An answer of the bank with another status than 200. */
export class BankStatusError extends Error {
  override readonly name = 'BankStatusError'
  readonly status: number

  constructor(status: number) {
    super(`it answered with HTTP status ${status}`)
    this.status = status
  }
}

/**
 * Sends a GET, and resolves once the bank begins its answer. Rejects with BankStatusError unless
 * the status is 200. It is not `fetch`, which says that it is a browser. The bank's control API
 * refuses browsers.
 */
export function getFromBank(
  url: URL,
  headers: Readonly<Record<string, string>>,
  silenceMs: number,
): Promise<IncomingMessage> {
  return askBank(url, { method: 'GET', headers, body: '', silenceMs })
}

/** As `getFromBank`, with any method and body. */
export function askBank(
  url: URL,
  {
    body,
    headers,
    method,
    silenceMs,
  }: {
    readonly method: 'GET' | 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
    readonly silenceMs: number
  },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers, timeout: silenceMs }, (response) => {
      if (response.statusCode === 200) return resolve(response)
      response.resume()
      reject(new BankStatusError(response.statusCode ?? 0))
    })
    asked.on('timeout', () => asked.destroy(new Error('it fell silent')))
    asked.on('error', reject)
    asked.end(body)
  })
}

/** The bank's books cannot be had at all. */
export function unreadable(controlUrl: string, error: unknown): BankBooksError {
  return new BankBooksError(
    `The bank's books cannot be read at ${controlUrl}: ${reasonOf(error)}. ` +
      'Make sure that the bank runs, and try again.',
  )
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
