import { holdsCardNumber } from '../../../base/card-number-text.ts'
import { refused, type Refusal } from '../../../base/refusal.ts'

/** The description of an account, as an operator types it. */
export interface TypedAccount {
  readonly mode: 'test' | 'live'
  /** Name of the processor link; null for the bundled bank. */
  readonly link: string | null
  readonly processorName: string
  /** Null takes the institution id of the link. */
  readonly acquirerId: string | null
  readonly acquirerMerchantId: string
  readonly categoryCode: string
  readonly name: string
  readonly city: string
  readonly country: string
  readonly currencies: readonly string[]
  readonly sites: readonly number[]
}

/**
 * Why typed texts cannot be stored or repeated; null where they can. Sentences about other faults
 * repeat the text, so this is judged first.
 */
export function cardTextFault(texts: Readonly<Record<string, string>>): Refusal | null {
  const found = Object.entries(texts).find(([, text]) => holdsCardNumber(text, 'digits'))
  if (found === undefined) return null
  const sentence = 'This field has 12 digits in a row, which could be a card number.'
  return refused('invalid', `${sentence} Take digits out.`, { field: found[0] })
}

/** Why the texts of an account cannot be stored; null where they can. */
export function typedAccountFault(account: TypedAccount): Refusal | null {
  const {
    acquirerMerchantId,
    link,
    acquirerId,
    currencies,
    mode,
    sites: _sites,
    ...texts
  } = account
  const others = { link: link ?? '', acquirerId: acquirerId ?? '', currencies: currencies.join() }
  const fault = cardTextFault({ ...texts, ...others, mode })
  return fault ?? likeCardFault('acquirerMerchantId', acquirerMerchantId)
}

const FIELDS = {
  acquirerMerchantId: 'The id of the merchant at the acquirer',
  requestorId: 'The id of the requestor',
} as const

/**
 * Why an id that another company gave cannot be stored; null where it can. Such ids may have 12
 * digits and more, so the check digit decides.
 */
export function likeCardFault(field: keyof typeof FIELDS, id: string): Refusal | null {
  if (!holdsCardNumber(id, 'groups')) return null
  const sentence =
    `${FIELDS[field]} looks like a card number. If it is none, set it with ` +
    '"tollgate accounts put".'
  return refused('invalid', sentence, { field })
}

/**
 * Why one operator cannot create an account; null where they can. A live account takes payments of
 * a live site at once.
 */
export function decideConsoleAccount(mode: 'test' | 'live', liveSites: number): Refusal | null {
  return mode === 'live' && liveSites > 0
    ? refused(
        'conflict',
        'The merchant has a site in live mode. Create a live account with "tollgate accounts put".',
      )
    : null
}
