import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { z } from 'zod'
import { BankBooksError, getFromBank } from './bank-books.ts'
import { booksHeaders, type ReadBankSecret } from './link-secret.ts'

const NOTICES = z.object({ notices: z.array(z.record(z.string(), z.unknown())) })
const FAULT = z.object({ error: z.string() })

/** The time within which the bank must begin its answer, and the longest silence in it. */
const SILENCE_MS = 30_000
const TAKEN = 201
const CONFLICT = 409

/** An answer of a merchant. Files travel by name, type, hash and size only. */
export interface BankDisputeAnswer {
  readonly merchant: string
  readonly case: string
  readonly id: string
  readonly answer: 'accept' | 'contest'
  readonly text: string
  readonly files: readonly {
    readonly name: string
    readonly type: string
    readonly sha256: string
    readonly bytes: number
  }[]
}

/**
 * The notices of a merchant account (DE 42) behind a number, in sequence; at most 500.
 * @throws BankBooksError when they cannot be read
 */
export async function disputeNotices(
  controlUrl: string,
  readSecret: ReadBankSecret,
  account: string,
  after: bigint,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  try {
    const url = new URL('/books/disputes', controlUrl)
    url.searchParams.set('merchant', account)
    url.searchParams.set('after', after.toString())
    const answer = await text(await getFromBank(url, booksHeaders(readSecret), SILENCE_MS))
    return NOTICES.parse(JSON.parse(answer)).notices
  } catch (error) {
    throw unreachable(controlUrl, error)
  }
}

/**
 * Sends an answer. The bank answers a repetition of the id from its memory.
 * @throws BankBooksError when the bank does not state whether it takes the answer
 */
export async function sendDisputeAnswer(
  controlUrl: string,
  readSecret: ReadBankSecret,
  answer: BankDisputeAnswer,
): Promise<{ readonly kind: 'taken' } | { readonly kind: 'refused'; readonly reason: string }> {
  const url = new URL('/books/disputes/answers', controlUrl)
  const headers = { ...booksHeaders(readSecret), 'content-type': 'application/json' }
  try {
    const { body, status } = await new Promise<{ status: number; body: string }>(
      (resolve, reject) => {
        const asked = request(url, { method: 'POST', headers, timeout: SILENCE_MS }, (response) => {
          text(response).then((body) => resolve({ status: response.statusCode ?? 0, body }), reject)
        })
        asked.on('timeout', () => asked.destroy(new Error('it fell silent')))
        asked.on('error', reject)
        asked.end(JSON.stringify(answer))
      },
    )
    if (status === TAKEN) return { kind: 'taken' }
    if (status === CONFLICT) return { kind: 'refused', reason: reasonOf(body) }
    throw new Error(`it answered with HTTP status ${status}`)
  } catch (error) {
    throw unreachable(controlUrl, error)
  }
}

function reasonOf(body: string): string {
  try {
    return FAULT.parse(JSON.parse(body)).error
  } catch {
    return 'The bank takes no answer to this case now.'
  }
}

function unreachable(controlUrl: string, error: unknown): BankBooksError {
  const reason = error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
  return new BankBooksError(
    `The bank's disputes cannot be reached at ${controlUrl}: ${reason}. ` +
      'Make sure that the bank runs, and try again.',
  )
}
