import {
  answerTo,
  compileProfile,
  createLinkServer,
  decodePrivateData,
  HOUSE_PROFILE,
  type IsoMessage,
  type LinkSession,
} from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import {
  createIso8583Processor,
  type Iso8583Processor,
} from '../../../src/adapters/processor-iso8583/processor.ts'
import { findCurrency } from '../../../src/domain/currency.ts'
import { NO_LIMITS } from '../../../src/domain/merchants/account-limits.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import type { AdviceRequest, AuthorizationRequest } from '../../../src/usecases/banks/processor.ts'

const TIMEOUT_MS = 5_000
const USD = findCurrency('USD')
assert.ok(USD !== null)

const SHARED = {
  account: {
    id: 2001n,
    merchantId: 10n,
    mode: 'test',
    linkId: 7n,
    standsFor: null,
    processorName: 'Test Processor',
    acquirerId: '100001',
    acquirerMerchantId: 'M1',
    categoryCode: '5411',
    nameAndLocation: 'SHOP'.padEnd(40),
    currencies: ['USD'],
    unreferencedCredits: false,
    limits: NO_LIMITS,
    threeDs: null,
  },
  amountMinor: 1250n,
  currency: USD,
} as const

const SALE: AuthorizationRequest = {
  ...SHARED,
  kind: 'sale',
  message: { number: 1n, at: new Date('2026-01-01T00:00:00Z') },
  pan: new CardNumber('4111111111111111'),
  expiry: null,
  cvv: null,
  address: null,
  cardOnFile: false,
  requestAccountUpdate: false,
  initiation: {
    initiator: null,
    recurring: 'none',
    instalment: false,
    rebillType: null,
    membershipReference: '',
    trialConsent: false,
    originalNetworkTransactionId: '',
  },
  partial: { allowed: false, minimumMinor: null },
  orderReference: '',
  authentication: null,
  businessTime: null,
  descriptor: { name: '', city: '', phone: '' },
  bankTest: 'de39=51',
}

const CAPTURE: AdviceRequest = {
  ...SHARED,
  kind: 'capture',
  message: { number: 2n, at: new Date('2026-01-01T00:00:01Z') },
  repeat: false,
  original: { mti: '0100', number: 1n, at: new Date('2026-01-01T00:00:00Z') },
  order: { number: 1n, at: new Date('2026-01-01T00:00:00Z') },
  remainingMinor: null,
  reason: null,
  sequence: 1,
  authCode: '',
  entryMode: '812',
  batch: null,
  pan: null,
  bankTest: 'de39=96',
}

/** A bank that keeps what it gets and approves everything, and a processor that reaches it. */
async function aLink(
  t: TestContext,
  isTestBank: boolean,
): Promise<{
  processor: Iso8583Processor
  tests: () => (string | undefined)[]
  connections: () => number
}> {
  const got: IsoMessage[] = []
  const sessions = new Set<LinkSession>()
  const server = createLinkServer({
    host: '127.0.0.1',
    port: 0,
    codec: compileProfile(HOUSE_PROFILE),
    onBadFrame: () => assert.fail('a frame was bad'),
    onMessage: (message, session) => {
      got.push(message)
      sessions.add(session)
      return answerTo(message, { 39: '00' })
    },
  })
  const { port } = await server.listen()
  const processor = createIso8583Processor({
    host: '127.0.0.1',
    port,
    acquirerId: '100001',
    isTestBank,
    onStateChange: () => undefined,
    onRefused: () => undefined,
    onLateAnswer: () => undefined,
  })
  processor.link.start()
  await processor.link.whenUp()
  t.after(async () => {
    await processor.link.stop()
    await server.close()
  })
  const tagOf = ({ fields }: IsoMessage) => decodePrivateData(fields[48] ?? '')['TT']
  return { processor, tests: () => got.map(tagOf), connections: () => sessions.size }
}

test('a link to another bank sends no payment with a test, and never the words of one', async (t) => {
  const { processor, tests } = await aLink(t, false)
  const outcome = await processor.authorize(SALE, TIMEOUT_MS)
  assert.deepEqual(outcome, { kind: 'not_sent', reason: 'link_down' })
  assert.deepEqual(tests(), [])
  // The money of a capture has moved already: it is delivered, without the words.
  await processor.deliver(CAPTURE, TIMEOUT_MS)
  assert.deepEqual(tests(), [undefined])
})

test('the link to the test bank carries the words of a test, and none with a repeat', async (t) => {
  const { processor, tests } = await aLink(t, true)
  await processor.authorize(SALE, TIMEOUT_MS)
  await processor.deliver(CAPTURE, TIMEOUT_MS)
  await processor.deliver({ ...CAPTURE, repeat: true }, TIMEOUT_MS)
  assert.deepEqual(tests(), ['de39=51', 'de39=96', undefined])
})

test('a message whose fault costs the connection goes over one of its own', async (t) => {
  const { connections, processor, tests } = await aLink(t, true)
  await processor.authorize({ ...SALE, bankTest: 'answer=late' }, TIMEOUT_MS)
  await processor.deliver({ ...CAPTURE, bankTest: null }, TIMEOUT_MS)
  assert.equal(connections(), 1)
  await processor.deliver({ ...CAPTURE, bankTest: 'answer=torn' }, TIMEOUT_MS)
  assert.deepEqual(tests(), ['answer=late', undefined, 'answer=torn'])
  assert.equal(connections(), 2)
})
