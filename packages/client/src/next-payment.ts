import type { Answer } from './answer.ts'
import { field } from './raw-record.ts'

/** A word of Tollgate-Retry-After, where no date helps. */
export type RetryWord = 'new-data' | 'authenticate' | 'never'

/** A report of the account updater about a saved card. */
export type AccountUpdate = 'new-number' | 'new-expiry' | 'closed' | 'ask'

/** The facts of an answer about the next payment of its card. */
export interface NextPayment {
  /** The merchant advice code, two digits; '' if the bank sent none. */
  readonly adviceCode: string
  /**
   * Of a decline: when the card may be charged again without its holder. A date is by the clock of
   * the site. Null if the answer does not say.
   */
  readonly retryAfter: Date | RetryWord | null
  /** Null if the account updater reported nothing that changes the card. */
  readonly accountUpdate: AccountUpdate | null
}

const RETRY_WORDS: readonly RetryWord[] = ['new-data', 'authenticate', 'never']
const UPDATES: readonly AccountUpdate[] = ['new-number', 'new-expiry', 'closed', 'ask']

/** Read from the headers of an answer, or from the columns of a row of CCSTATUS. */
export function readNextPayment({ header, raw }: Answer): NextPayment {
  const said = (name: string, column: string): string => header(name) || field(raw, column)
  const update = said('tollgate-account-update', 'TRANS_ACCOUNT_UPDATE')
  return {
    adviceCode: said('tollgate-advice-code', 'TRANS_ADVICE_CODE'),
    retryAfter: retryOf(said('tollgate-retry-after', 'TRANS_RETRY_AFTER')),
    accountUpdate: UPDATES.find((one) => one === update) ?? null,
  }
}

function retryOf(text: string): NextPayment['retryAfter'] {
  const word = RETRY_WORDS.find((one) => one === text)
  if (word !== undefined) return word
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? null : at
}
