import type { OtherTest } from './outcome-group.ts'

const SCENARIOS = 'test/scenarios'

function scenario(name: string, title: string): OtherTest {
  return { file: `${SCENARIOS}/${name}.test.ts`, title }
}

const FINAL_CALLS = 'test/three-ds/final-matrix.test.ts'
const UNIT_TOKENS = 'packages/gateway/test/http/tokens/token-service.test.ts'

/**
 * Tests that produce what a sweep of requests cannot. They use a page of the portal, a command, a
 * kill or a stopped database, or break the link of other payments.
 */
export const TESTS = {
  throttled: scenario('logins', 'R8: the same wrong password 200 times is ten wrong guesses'),
  destroyedKey: scenario(
    'destroyed-keys',
    'a payment with a card under a destroyed key is refused and logged, and nothing goes to the bank',
  ),
  erasedCard: scenario(
    'portal-customers',
    'the number is erased, the card cannot be charged or refunded, and the same number is a new card',
  ),
  running: scenario(
    'unknown-outcomes',
    'A9: a repeat whose wait for the first request runs out is answered RUNNING with its ids',
  ),
  portalRow: scenario('order-status', 'the origin of a row is PORTAL for what a portal user did'),
  resolverRow: scenario(
    'order-status',
    'the origin of a row is RESOLVER for a payment that the gateway ended in place of a process that died',
  ),
  differingBatch: scenario(
    'batch-agreement',
    'a batch with other totals at the bank names the rows that differ',
  ),
  settlementDifference: scenario(
    'settlement',
    'an operator imports the file of a batch, and verify, recon and the commands explain it',
  ),
  deposit: scenario(
    'settlement',
    'an operator imports bank statements, and the commands show the deposit of a payout',
  ),
  returnedPayout: {
    file: 'packages/gateway/test/adapters/postgres/settlement/deposits.test.ts',
    title: 'a payout that a later file sends back before a bank had it is returned',
  },
  tokensUnavailable: {
    file: UNIT_TOKENS,
    title: 'a gateway that is not ready accepts no card: 503, and the time to retry',
  },
  tokenFault: {
    file: UNIT_TOKENS,
    title: 'a database that is away is 503 too, and an internal error is 120 without its text',
  },
  tokenVolume: scenario(
    'request-volume',
    'R8: the volume of a user is counted for the sites of the token service in the same way',
  ),
  linkFaults: scenario(
    'bank-faults',
    'a bank that ${what} makes a sale FAILED 502, and nothing is held in the end',
  ),
  ownLinkFaults: scenario(
    'sandbox-tests',
    'a fault of the link strikes only the payment that asks for it, and its hold is gone in the end',
  ),
  reversalCodes: scenario(
    'sandbox-tests',
    'the reversal of a payment is first answered with the code that the payment asks for',
  ),
  lostChallenge: {
    file: FINAL_CALLS,
    title: 'row ${row}: ${what} it is declined, and the bank not asked, then or later',
  },
  repeatedResult: {
    file: FINAL_CALLS,
    title: 'row 20: a result that comes twice, or after a wrong one, is one result',
  },
  lateResult: {
    file: FINAL_CALLS,
    title: 'row 20: a result that comes after the CRes is waited for',
  },
  deadPage: {
    file: FINAL_CALLS,
    title: 'row 24: after ${what} it is declined, and the bank not asked',
  },
  wrongCodes: {
    file: 'packages/bank/test/three-ds/challenge.test.ts',
    title: 'all codes are wrong on the card for it, in every brand',
  },
  lostAnswer: scenario(
    'sandbox-tests',
    'a sale whose answer is ${what} was made, and CCSTATUS finds it',
  ),
  twoRequests: scenario(
    'sandbox-tests',
    'a request that arrives twice is two payments, and one under an idempotency key',
  ),
} as const satisfies Readonly<Record<string, OtherTest>>
