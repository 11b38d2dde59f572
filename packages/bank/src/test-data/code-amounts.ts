import { decimalsOf } from '../issuer/currencies.ts'

/** The hundred amounts whose cents are the code of the answer, as a merchant writes them. */
export const CODE_AMOUNTS = {
  amount: '9000.nn',
  responseCode: 'nn',
  meaning:
    'the answer has the code nn, for every card: 9000.05 is declined with 05. 08, 11 and 85 ' +
    'approve the amount, 10 approves half of it even if the merchant accepts no partial ' +
    'approval, and 00 forces nothing',
} as const

const MAJOR = 9_000n
/** Codes with which a gateway may accept the whole amount. */
const FULL_APPROVALS: ReadonlySet<string> = new Set(['08', '11', '85'])
const PARTIAL_APPROVAL = '10'

/** The answer that an amount produces. */
export interface ForcedAnswer {
  /** DE 39. */
  readonly responseCode: string
  /** Minor units that are held. */
  readonly approved: bigint
}

/**
 * The answer for a whole transaction amount, in minor units of an ISO 4217 numeric currency. Null
 * for any other amount, and in currencies without two decimals.
 */
export function findForcedAnswer(amount: bigint, currency: string): ForcedAnswer | null {
  const cents = amount % 100n
  if (amount / 100n !== MAJOR || cents === 0n || decimalsOf(currency) !== 2) return null
  const responseCode = cents.toString().padStart(2, '0')
  if (responseCode === PARTIAL_APPROVAL) return { responseCode, approved: amount / 2n }
  return { responseCode, approved: FULL_APPROVALS.has(responseCode) ? amount : 0n }
}
