import type { RetryAdvice } from '../../domain/memberships/retry-advice.ts'
import type { FollowUp, KeptUpdate } from '../../usecases/payments/follow-up.ts'
import type { Field } from './record.ts'
import { text } from './record.ts'

type Headers = Readonly<Record<string, string>>

const NONE: Headers = {}

/** The same words in which the sandbox lets a request choose the report. */
const UPDATE_WORDS: Readonly<Record<KeptUpdate, string>> = {
  A: 'new-number',
  C: 'closed',
  E: 'new-expiry',
  Q: 'ask',
}

/**
 * Headers of an answer about the card's next payment, in test and live mode. The record of the
 * interface has no field for them, and the shops that compare it are not to meet new ones.
 */
export function followUpHeaders({ accountUpdate, merchantAdvice, retry }: FollowUp): Headers {
  if (merchantAdvice === '' && retry === null && accountUpdate === null) return NONE
  return {
    ...(merchantAdvice === '' ? NONE : { 'tollgate-advice-code': merchantAdvice }),
    ...(retry === null ? NONE : { 'tollgate-retry-after': retryText(retry) }),
    ...(accountUpdate === null ? NONE : { 'tollgate-account-update': UPDATE_WORDS[accountUpdate] }),
  }
}

/** The same facts as columns of CCSTATUS, for a request that asks for them. */
export function followUpFields({ accountUpdate, merchantAdvice, retry }: FollowUp): Field[] {
  return [
    text('TRANS_ADVICE_CODE', merchantAdvice),
    text('TRANS_RETRY_AFTER', retry === null ? '' : retryText(retry)),
    text('TRANS_ACCOUNT_UPDATE', accountUpdate === null ? '' : UPDATE_WORDS[accountUpdate]),
  ]
}

/**
 * An HTTP date, or a word. A date stays true in a repeated answer and in CCSTATUS, and follows the
 * clock of the site. Seconds would count from an answer that may have been lost.
 */
function retryText(retry: RetryAdvice): string {
  switch (retry.kind) {
    case 'after':
      // The date has whole seconds, and must not be early.
      return new Date(Math.ceil(retry.at.getTime() / 1_000) * 1_000).toUTCString()
    case 'new_data':
      return 'new-data'
    case 'authenticate':
    case 'never':
      return retry.kind
  }
}
