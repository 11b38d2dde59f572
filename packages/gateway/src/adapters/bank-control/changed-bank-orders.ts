import { text } from 'node:stream/consumers'
import { z } from 'zod'
import type { BankChanges } from '../../usecases/books/reconcile-changes.ts'
import type { BankOrder } from '../../usecases/books/reconcile.ts'
import {
  askBank,
  BankBooksError,
  BankStatusError,
  getFromBank,
  readOrders,
  SILENCE_MS,
  unreadable,
} from './bank-books.ts'
import { booksHeaders, type ReadBankSecret } from './link-secret.ts'

const POSITION = z.object({ position: z.string() })

/** The most keys that the bank takes at once. */
const KEYS_AT_ONCE = 5_000
/** The bank's answer for a position that its journal does not have. */
const CONFLICT = 409

/** The bundled bank's orders behind a position of its journal. Its calls throw BankBooksError. */
export function readBankChanges(controlUrl: string, readSecret: ReadBankSecret): BankChanges {
  return {
    async readPosition() {
      try {
        const url = new URL('/books/position', controlUrl)
        const answer = await text(await getFromBank(url, booksHeaders(readSecret), SILENCE_MS))
        return POSITION.parse(JSON.parse(answer)).position
      } catch (error) {
        throw unreadable(controlUrl, error)
      }
    },
    readSince: (position) =>
      readOrders(controlUrl, async () => {
        const url = new URL('/books/orders', controlUrl)
        url.searchParams.set('since', position)
        try {
          return await getFromBank(url, booksHeaders(readSecret), SILENCE_MS)
        } catch (error) {
          if (!(error instanceof BankStatusError) || error.status !== CONFLICT) throw error
          throw new BankBooksError(
            "The bank's books do not have the position of the last run: they are other books, or " +
              'an older copy. Run "tollgate recon" without --since-last.',
          )
        }
      }),
    async *readNamed(keys) {
      for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
        yield* readSome(controlUrl, readSecret, keys.slice(from, from + KEYS_AT_ONCE))
      }
    },
  }
}

function readSome(
  controlUrl: string,
  readSecret: ReadBankSecret,
  keys: readonly string[],
): AsyncGenerator<BankOrder> {
  return readOrders(controlUrl, () =>
    askBank(new URL('/books/orders', controlUrl), {
      method: 'POST',
      headers: { ...booksHeaders(readSecret), 'content-type': 'application/json' },
      body: JSON.stringify({ keys }),
      silenceMs: SILENCE_MS,
    }),
  )
}
