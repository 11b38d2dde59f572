import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { after, before, test, type TestContext } from 'node:test'
import type { HttpLimits } from '../../packages/gateway/src/http/servers/http-limits.ts'
import { untilSeen } from '../support/eventually.ts'
import { startMeasuredGateway, type MeasuredGateway } from '../support/measured-gateway.ts'
import { EXPIRY, VISA } from '../support/payments.ts'
import {
  credentials,
  startRunningGateway,
  type RunningGateway,
} from '../support/running-gateway.ts'
import {
  SLOW_KINDS,
  startSlowClients,
  type SlowClients,
  type SlowClientsOptions,
} from '../support/slow-clients.ts'

const SLOW = 5_000
/** Four times as many as there is room for. */
const SLOW_FOR_ROOM = 2_000
const PAYMENTS = 200
/** Some are always between being cut and coming back. */
const COMING_BACK = 600
/**
 * Long enough for all 5,000 to be there at once on a busy machine too, and short enough to see them
 * cut.
 */
const LIMITS: Partial<HttpLimits> = {
  handshakeTimeoutMs: 15_000,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 15_000,
  keepAliveTimeoutMs: 15_000,
  connections: 8_000,
}

let shared: RunningGateway
before(async () => {
  shared = await startRunningGateway()
})
after(() => shared.stop())

async function aGateway(t: TestContext, limits: Partial<HttpLimits>): Promise<MeasuredGateway> {
  const gateway = await startMeasuredGateway(shared.nodeSettings, limits)
  t.after(() => gateway.stop())
  return gateway
}

/** All kinds in equal shares, in a process each. */
function attack(
  t: TestContext,
  { httpUrl, httpsUrl }: MeasuredGateway,
  pace: Pick<SlowClientsOptions, 'againAfterMs' | 'openedAtOnce'>,
  connections: number,
): SlowClients[] {
  const count = connections / SLOW_KINDS.length
  const all = SLOW_KINDS.map((kind) =>
    startSlowClients({ kind, count, httpUrl, httpsUrl, ...pace }),
  )
  t.after(() => Promise.all(all.map((clients) => clients.stop())))
  return all
}

/** One sale over a connection of its own: its HTTP status and state. */
async function pay(baseUrl: string): Promise<string> {
  const url = new URL('/payment/pmt_service.cfm', baseUrl)
  const options = { method: 'POST', agent: false, rejectUnauthorized: false }
  const asked = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options)
  const form = new URLSearchParams({
    ...credentials(),
    REQUEST_ACTION: 'CCAUTHCAP',
    REQUEST_RESPONSE_FORMAT: 'JSON',
    PMT_NUMB: VISA,
    PMT_EXPIRY: EXPIRY,
    LI_VALUE_1: '12.00',
  })
  asked.end(form.toString())
  const [response] = await once(asked, 'response')
  const text = (await response.toArray()).join('')
  return `${response.statusCode} ${/"TRANS_STATUS_NAME":"(\w*)"/.exec(text)?.[1] ?? text}`
}

/** Thousands of connections take their time on a small machine. */
const PATIENT = { seconds: 240, everyMs: 100 }

/**
 * So many payments, eight at a time, over plain HTTP and HTTPS in turn: each answer, and how often.
 */
async function payMany(
  gateway: MeasuredGateway,
  payments = PAYMENTS,
): Promise<Map<string, number>> {
  const answers = new Map<string, number>()
  let left = payments
  const payer = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const answer = await pay(left % 2 === 0 ? gateway.httpUrl : gateway.httpsUrl)
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 8 }, payer))
  return answers
}

test('payments over new connections go on beside 5,000 slow ones, which are cut and leave nothing', async (t) => {
  const gateway = await aGateway(t, LIMITS)
  assert.deepEqual(await payMany(gateway), new Map([['200 APPROVED', PAYMENTS]]))
  const before = await gateway.usageAfterCollection()

  const slow = attack(t, gateway, { againAfterMs: 100, openedAtOnce: 50 }, SLOW + COMING_BACK)
  await untilSeen(
    'all slow clients are connected',
    () => gateway.usage(),
    ({ connections }) => connections >= SLOW,
    PATIENT,
  )
  assert.deepEqual(await payMany(gateway), new Map([['200 APPROVED', PAYMENTS]]))

  // They never end a connection themselves, so what is gone was cut by the gateway.
  await Promise.all(slow.map((clients) => clients.cease()))
  await untilSeen(
    'every slow client was cut',
    () => Promise.all(slow.map((clients) => clients.report())),
    (reports) => reports.every(({ open }) => open === 0),
    PATIENT,
  )
  await untilSeen(
    'the gateway has no connection left',
    () => gateway.usage(),
    ({ connections }) => connections === 0,
    PATIENT,
  )
  const after = await gateway.usageAfterCollection()
  assert.equal(after.cutForRoom, 0)
  assert.ok(after.descriptors <= before.descriptors + 20, `${after.descriptors} descriptors`)
  assert.ok(after.usedBytes < before.usedBytes * 1.5, `${after.usedBytes} of ${before.usedBytes}`)
  assert.ok(after.residentBytes < before.residentBytes * 3, `${after.residentBytes} resident`)
  assert.equal(gateway.log(), '')
})

test('with room for 500 only, 2,000 slow connections push each other out, and no payment', async (t) => {
  const gateway = await aGateway(t, { ...LIMITS, connections: 500 })
  // At 400 a second, more than a second passes before 500 others have pushed a connection out. That
  // is enough for the request of a payment on a busy machine too.
  attack(t, gateway, { againAfterMs: 5_000, openedAtOnce: 1 }, SLOW_FOR_ROOM)
  await untilSeen(
    'slow clients were cut for room',
    () => gateway.usage(),
    ({ cutForRoom }) => cutForRoom >= SLOW_FOR_ROOM - 500,
    PATIENT,
  )
  assert.deepEqual(await payMany(gateway), new Map([['200 APPROVED', PAYMENTS]]))
  const { connections, descriptors } = await gateway.usage()
  assert.ok(connections <= 500, `${connections} connections`)
  assert.ok(descriptors < 700, `${descriptors} descriptors`)
})
