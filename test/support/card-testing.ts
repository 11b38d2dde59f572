import type { Transaction } from '@tollgate/client'
import assert from 'node:assert/strict'
import type { PaymentDetails } from '../../packages/client/src/requests.ts'
import type { SingleRequestClient } from '../../packages/client/src/single-requests.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { DEFAULT_CARD_TESTING_RULES } from '../../packages/gateway/src/domain/card-testing/card-testing.ts'
import {
  openOperator,
  type CardTestingSetting,
} from '../../packages/gateway/src/wiring/operator.ts'
import { untilSeen } from './eventually.ts'
import { EXPIRY, outcome } from './payments.ts'
import type { RunningGateway } from './running-gateway.ts'
import { numbersOf } from './stolen-cards.ts'

/** One card that is sent again and again shows whether a node has the rules, and which. */
const PROBE = {
  name: 'probe',
  subject: 'card',
  counts: 'attempts',
  limit: 20,
  windowSeconds: 86_400,
}
let probes = 0

type Operator = Awaited<ReturnType<typeof openOperator>>

/** An operator of the gateway's database; to be closed. */
export function operatorOf({ databaseUrl, vaultKey }: RunningGateway): Promise<Operator> {
  return openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
}

/** Puts in force the default rules, and one whose code `untilRefusedWith` waits for. */
export async function putRules(
  operator: Operator,
  site: number,
  code: 215 | 601,
  more: object = {},
): Promise<void> {
  const rules = [{ ...PROBE, code }, ...DEFAULT_CARD_TESTING_RULES]
  const done = await operator.cardTesting.put(BigInt(site), JSON.stringify({ rules, ...more }))
  assert.ok(done.ok, JSON.stringify(done))
}

export async function setMode(
  operator: Operator,
  site: number,
  mode: CardTestingSetting,
): Promise<void> {
  const set = await operator.cardTesting.setMode(BigInt(site), mode)
  assert.ok(set.ok, JSON.stringify(set))
}

/** A payment as a customer's browser sends it. */
export function customerPayment(
  cardNumber: string,
  amount: string,
  ipAddress?: string,
): PaymentDetails {
  const customer = ipAddress === undefined ? {} : { customer: { ipAddress } }
  return { cardNumber, expiry: EXPIRY, amount, ...customer }
}

/** A card that no other test sends. */
export function probeCard(): string {
  const [card = ''] = numbersOf('510510', 1, (probes += 1))
  return card
}

/** A card that is sent until it is refused with the code: then the node knows the rules. */
export async function untilRefusedWith(shop: SingleRequestClient, code: number): Promise<void> {
  const card = probeCard()
  await untilSeen(
    `the card is declined with ${code}`,
    async () => outcome(await shop.authorize(customerPayment(card, '0.00'))),
    (seen) => seen === `DECLINED 0/${code}`,
  )
}

/** One that is sent until it passes more often in a row than rules allow. */
export async function untilNothingIsRefused(shop: SingleRequestClient): Promise<void> {
  const card = probeCard()
  let passed = 0
  await untilSeen(
    'the card passes more often in a row than rules allow',
    async () => {
      const answer = outcome(await shop.authorize(customerPayment(card, '0.00')))
      passed = answer === 'APPROVED 0/100' ? passed + 1 : 0
      return answer
    },
    () => passed > PROBE.limit,
  )
}

/** How often each outcome occurs. */
export function outcomes(answers: readonly Transaction[]): Record<string, number> {
  const seen: Record<string, number> = {}
  for (const answer of answers) seen[outcome(answer)] = (seen[outcome(answer)] ?? 0) + 1
  return seen
}

export async function rowsOf(
  { pool }: RunningGateway,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  const { rows } = await pool.query<Record<string, unknown>>(sql, [...values])
  return rows
}
