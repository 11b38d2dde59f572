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
import type { AdviceRequest } from '../../../src/usecases/banks/processor.ts'
import { aSale, TEST_ACCOUNT } from '../../support/a-sale.ts'

const TIMEOUT_MS = 5_000
const SALE = aSale({ account: { ...TEST_ACCOUNT, linkId: 7n }, bankTest: 'de39=51' })
const SHARED = {
  account: SALE.account,
  amountMinor: SALE.amountMinor,
  currency: SALE.currency,
} as const

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
