import { APPROVING_CODES } from '@tollgate/iso8583'
import type { AuthorizationRequest } from '../acquirer/authorization-request.ts'
import { renewedExpiry } from './account-updater.ts'
import type { AccountUpdate } from './account-updater.ts'
import { balanceOf } from './bank-test.ts'
import type { BankTest } from './bank-test.ts'
import { decideByStandIn } from './decision.ts'
import type { Decision } from './decision.ts'

/** DE 39 of a decline that has an advice code only. */
const DECLINED = '05'
const PARTIAL = '10'

/**
 * Decides a 0100 as its test says, on any card. `decide` is the decision of the account; it fills
 * what the test leaves open. `thisMonth` is YYMM.
 */
export function decideByTest(
  request: AuthorizationRequest,
  test: BankTest,
  thisMonth: string,
  decide: (request: AuthorizationRequest) => Decision,
): Decision {
  if (test.issuer !== undefined) return decideByStandIn(request, test.issuer === 'stand-in')
  const update = updateOf(request, test, thisMonth)
  const base = decide(afterUpdate(request, update))
  const { avs = base.avs, cvv = base.cvv } = test
  const found = {
    avs,
    cvv,
    cavv: base.cavv,
    ...(test.mac === undefined ? {} : { merchantAdvice: test.mac }),
    ...(update === null ? {} : { update }),
  }
  const decided = codeOf(request, test, update)
  return decided === null ? { ...base, ...found } : { ...decided, ...found }
}

/** The code and the approved amount that the test fixes; null where the account decides. */
function codeOf(
  request: AuthorizationRequest,
  test: BankTest,
  update: AccountUpdate | null,
): Pick<Decision, 'responseCode' | 'approved'> | null {
  const { amount, acceptsPartial, currency, isCardCheck } = request
  const balance = balanceOf(test, currency)
  const code = test.de39 ?? (test.mac === undefined ? refusalOf(update) : DECLINED)
  if (code === null && balance === null) return null
  if (code === PARTIAL) return { responseCode: code, approved: lower(balance, amount) }
  if (code !== null) {
    const approves = APPROVING_CODES.has(code) && !isCardCheck
    return { responseCode: code, approved: approves ? amount : 0n }
  }
  if (isCardCheck) return { responseCode: '85', approved: 0n }
  if (balance === null || amount <= balance) return { responseCode: '00', approved: amount }
  return acceptsPartial && balance > 0n
    ? { responseCode: PARTIAL, approved: balance }
    : { responseCode: '51', approved: 0n }
}

/** The balance where it is below the amount; half of the amount otherwise. */
function lower(balance: bigint | null, amount: bigint): bigint {
  return balance !== null && balance < amount ? balance : amount / 2n
}

function refusalOf(update: AccountUpdate | null): string | null {
  if (update?.result === 'C') return '46'
  return update?.result === 'Q' ? DECLINED : null
}

/** The result of the account updater that the test asks for, whether the gateway asks or not. */
function updateOf(
  { expiry }: AuthorizationRequest,
  { updater }: BankTest,
  thisMonth: string,
): AccountUpdate | null {
  switch (updater) {
    case 'new-number':
      return { result: 'A', expiry: renewedExpiry(expiry ?? thisMonth, thisMonth) }
    case 'new-expiry':
      return { result: 'E', expiry: renewedExpiry(expiry ?? thisMonth, thisMonth) }
    case 'closed':
      return { result: 'C' }
    case 'ask':
      return { result: 'Q' }
    case 'unchanged':
      return { result: 'V' }
    case 'not-enrolled':
      return { result: 'P' }
    default:
      return null
  }
}

/** The account's own updater is not asked beside the test's. */
function afterUpdate(
  request: AuthorizationRequest,
  update: AccountUpdate | null,
): AuthorizationRequest {
  if (update === null) return request
  const { expiry = request.expiry } = update
  return {
    ...request,
    requestsAccountUpdate: false,
    ...(expiry === undefined ? {} : { expiry }),
  }
}
