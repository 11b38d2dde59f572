import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { Secret } from '../../../src/base/secret.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import type { ThreeDsDirectory } from '../../../src/usecases/three-ds/directory.ts'
import { makeAuthority, makePair, type Pair } from './certificates.ts'
import { ACCOUNT, questionAbout, startBeside } from './server-beside-simulator.ts'

const PAN = '4000000000002701'
const LIVE = { ...ACCOUNT, mode: 'live' as const }
const CAVV = 'AAABBJkZUQAAAABjRWWZEEFgFz8='

let beside: Awaited<ReturnType<typeof startBeside>>
let authority: Pair
let ours: Pair

before(async () => {
  beside = await startBeside()
  authority = await makeAuthority('Scheme CA')
  ours = await makePair(authority, 'our client')
})
after(() => beside.stop())

function liveDirectory(port: number): ThreeDsDirectory {
  return {
    name: `live visa ${port}`,
    mode: 'live',
    brands: ['Visa'],
    url: `https://localhost:${port}/3ds`,
    ca: authority.cert,
    cert: ours.cert,
    key: new Secret(ours.key),
    refNumber: 'REF_1',
    operatorId: null,
    resultSubjects: ['ds.example'],
    versions: { from: '2.1.0', to: '2.2.0' },
    browserHosts: null,
    simulated: false,
  }
}

/** A Directory Server of a scheme, with the messages that it got; it answers every AReq as set. */
async function startScheme(
  t: TestContext,
  answer: object,
): Promise<{ readonly directory: ThreeDsDirectory; readonly types: string[] }> {
  const types: string[] = []
  const pair = await makePair(authority, 'ds.example')
  const server: Server = createServer(
    { ...pair, ca: authority.cert, requestCert: true },
    (request, response) => {
      let text = ''
      request.on('data', (part: Buffer) => (text += part.toString()))
      request.on('end', () => {
        const message = JSON.parse(text) as Record<string, string>
        types.push(message['messageType'] ?? '')
        const ids = {
          threeDSServerTransID: message['threeDSServerTransID'],
          dsTransID: 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b',
          acsTransID: 'd7c1ee99-9478-44a6-b1f2-391e29c6b340',
        }
        const head = { messageVersion: message['messageVersion'], ...ids }
        response.end(
          JSON.stringify({
            messageType: 'ARes',
            ...head,
            dsReferenceNumber: 'DS',
            acsReferenceNumber: 'ACS',
            transStatus: 'Y',
            eci: '05',
            authenticationValue: CAVV,
            ...answer,
          }),
        )
      })
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { directory: liveDirectory((server.address() as AddressInfo).port), types }
}

test('a live account is never asked about at the simulator', async () => {
  const { server } = beside.another()
  await server.start(beside.receive)
  assert.equal(server.isSetUp('test'), true)
  assert.equal(server.isSetUp('live'), false)
  assert.equal(server.findRange('live', new CardNumber(PAN)), null)
  assert.deepEqual(server.methodUrls('live', '400000'), [])
  const question = questionAbout(PAN, { account: LIVE })
  const reply = await server.authenticate(question)
  assert.equal(reply.kind, 'unavailable')
  const log = JSON.stringify(await beside.control('GET', '/three-ds/log'))
  assert.ok(!log.includes(question.serverTransId))
})

test('a test account is never asked about at a Directory Server of live accounts', async (t) => {
  const scheme = await startScheme(t, {})
  const { server } = beside.another({
    liveDirectories: [scheme.directory],
    liveResults: { ...ours, key: new Secret(ours.key) },
    simulatorFolder: null,
  })
  await server.start(beside.receive)
  assert.equal(server.isSetUp('test'), false)
  const before = scheme.types.filter((type) => type === 'AReq').length
  assert.equal((await server.authenticate(questionAbout(PAN))).kind, 'unavailable')
  assert.equal(scheme.types.filter((type) => type === 'AReq').length, before)
})

test("a live account is asked about at its brand's Directory Server, and at none where the brand has none", async (t) => {
  const scheme = await startScheme(t, {})
  const { server } = beside.another({
    liveDirectories: [scheme.directory],
    liveResults: { ...ours, key: new Secret(ours.key) },
  })
  await server.start(beside.receive)
  const reply = await server.authenticate(questionAbout(PAN, { account: LIVE }))
  assert.equal(reply.kind, 'answered', JSON.stringify(reply))
  const none = await server.authenticate(questionAbout('5200000000002235', { account: LIVE }))
  assert.equal(none.kind, 'unavailable')
  assert.equal(scheme.types.filter((type) => type === 'AReq').length, 1)
})

test("an answer with the simulator's reference numbers is not used for a live account", async (t) => {
  for (const answer of [
    { dsReferenceNumber: 'SIM_DS_0001' },
    { acsReferenceNumber: 'SIM_ACS_0001' },
  ]) {
    const scheme = await startScheme(t, answer)
    const { server } = beside.another({
      liveDirectories: [scheme.directory],
      liveResults: { ...ours, key: new Secret(ours.key) },
    })
    await server.start(beside.receive)
    const reply = await server.authenticate(questionAbout(PAN, { account: LIVE }))
    assert.equal(reply.kind, 'unavailable')
    assert.equal(reply.cause, '303')
  }
})

test('an address for browsers that the simulator does not have is not used', async (t) => {
  const scheme = await startScheme(t, {})
  const acsUrl = 'https://evil.example/creq'
  const answer = {
    transStatus: 'C',
    eci: undefined,
    authenticationValue: undefined,
    acsURL: acsUrl,
    acsChallengeMandated: 'Y',
    authenticationType: '02',
  }
  const hostile = await startScheme(t, answer)
  const ask = async (directory: ThreeDsDirectory): Promise<string> => {
    const { server } = beside.another({
      liveDirectories: [directory],
      liveResults: { ...ours, key: new Secret(ours.key) },
    })
    await server.start(beside.receive)
    const reply = await server.authenticate(questionAbout(PAN, { account: LIVE }))
    return reply.kind === 'answered' ? reply.status : `${reply.cause} ${reply.detail}`
  }
  assert.equal(await ask({ ...scheme.directory, browserHosts: ['acs.example'] }), 'Y')
  assert.equal(await ask({ ...hostile.directory, browserHosts: ['evil.example'] }), 'C')
  assert.match(
    await ask({ ...hostile.directory, name: 'live other', browserHosts: ['acs.example'] }),
    /^203 .*acsURL/,
  )
})

test('a Directory Server that is down at the start is asked again after 60 seconds, and not before', async () => {
  const { server, told } = beside.another({
    liveDirectories: [{ ...liveDirectory(1), name: 'live down' }],
    liveResults: { ...ours, key: new Secret(ours.key) },
    simulatorFolder: null,
  })
  assert.ok(await server.start(beside.receive))
  assert.equal(told.alarms, 1)
  await server.refreshRanges()
  assert.equal(told.alarms, 1)
  beside.clock.advance(59_000)
  await server.refreshRanges()
  assert.equal(told.alarms, 1)
  beside.clock.advance(1_000)
  await server.refreshRanges()
  assert.equal(told.alarms, 2)
  const reply = await server.authenticate(questionAbout(PAN, { account: LIVE }))
  assert.deepEqual(
    [reply.kind, reply.kind === 'unavailable' && reply.cause],
    ['unavailable', '405'],
  )
})

test('a port for results that is taken is changed for a free one, unless it was configured', async (t) => {
  const taken = createServer()
  taken.listen(0, '127.0.0.1')
  await once(taken, 'listening')
  t.after(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const results = { host: '127.0.0.1', port, url: null }
  const started = await beside
    .another({ results: { ...results, mayMove: true } })
    .server.start(beside.receive)
  assert.notEqual(new URL(started?.resultsUrl ?? '').port, String(port))
  await assert.rejects(
    beside.another({ results: { ...results, mayMove: false } }).server.start(beside.receive),
    /Choose another THREE_DS_RESULTS_PORT\.$/,
  )
})

test('the Directory Server gets the configured address for results', async () => {
  const url = 'https://3ds.example/3ds/results'
  const { server } = beside.another({ results: { host: '127.0.0.1', port: 0, mayMove: true, url } })
  assert.deepEqual(await server.start(beside.receive), { resultsUrl: url })
  const question = questionAbout(PAN)
  await server.authenticate(question)
  const log = (await beside.control('GET', '/three-ds/log')) as {
    entries: { message: Record<string, string> | null }[]
  }
  const areq = log.entries.find(
    ({ message }) => message?.['threeDSServerTransID'] === question.serverTransId,
  )
  assert.equal(areq?.message?.['threeDSServerURL'], url)
})

test('the Directory Server gets an Erro for a result that a use case refuses', async () => {
  const { server } = beside.another()
  await server.start(beside.receive)
  const question = questionAbout(PAN)
  await server.refuse(question, '203', 'eci')
  const log = (await beside.control('GET', '/three-ds/log')) as {
    entries: { type: string; message: Record<string, string> | null }[]
  }
  const erro = log.entries.findLast(({ type }) => type === 'Erro')?.message
  assert.deepEqual(
    [
      erro?.['errorCode'],
      erro?.['errorDetail'],
      erro?.['errorMessageType'],
      erro?.['threeDSServerTransID'],
    ],
    ['203', 'eci', 'ARes', question.serverTransId],
  )
})

test('new certificates of the simulator are used while it runs', async () => {
  const folder = join(beside.folder, 'renewed')
  cpSync(join(beside.folder, 'bank', 'three-ds'), folder, { recursive: true })
  const { server } = beside.another({ simulatorFolder: folder })
  await server.start(beside.receive)
  assert.equal((await server.authenticate(questionAbout(PAN))).kind, 'answered')
  // A pair of another authority, and an authority that did not sign the Directory Server's.
  for (const [name, text] of [
    ['ca.pem', authority.cert],
    ['gateway-client.pem', ours.cert],
    ['gateway-client.key', ours.key],
  ] as const) {
    writeFileSync(join(folder, name), text)
  }
  await server.follow()
  const reply = await server.authenticate(questionAbout(PAN))
  assert.deepEqual(
    [reply.kind, reply.kind === 'unavailable' && reply.cause],
    ['unavailable', '405'],
  )
})

test('without a Directory Server nothing is set up, and one that comes later is used', async () => {
  const { server } = beside.another({ simulatorFolder: join(beside.folder, 'nowhere') })
  assert.equal(await server.start(beside.receive), null)
  assert.equal(server.isSetUp('test'), false)
  await server.follow()
  assert.equal((await server.authenticate(questionAbout(PAN))).kind, 'unavailable')
  cpSync(join(beside.folder, 'bank', 'three-ds'), join(beside.folder, 'nowhere'), {
    recursive: true,
  })
  await server.follow()
  assert.equal(server.isSetUp('test'), true)
  assert.equal((await server.authenticate(questionAbout(PAN))).kind, 'answered')
})
