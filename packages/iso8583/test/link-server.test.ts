import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import type { TestContext } from 'node:test'
import { eventually } from '../../../test/support/eventually.ts'
import { FrameReader, NETWORK_CODES, answerTo, createLinkServer, frame } from '../src/index.ts'
import type { IsoMessage, LinkServer, LinkServerOptions, LinkSession } from '../src/index.ts'
import { aClient, approval } from './scripted-bank.ts'
import { HOUSE, anAuthorization } from './support.ts'

const LONG_MS = 30_000

interface RunningServer {
  readonly server: LinkServer
  readonly port: number
}

async function aServer(
  t: TestContext,
  options: Partial<LinkServerOptions> = {},
): Promise<RunningServer> {
  const server = createLinkServer({
    host: '127.0.0.1',
    port: 0,
    codec: HOUSE,
    onMessage: approval,
    onBadFrame: () => assert.fail('a frame was bad'),
    closeTimeoutMs: 200,
    ...options,
  })
  const { port } = await server.listen()
  t.after(() => server.close())
  return { server, port }
}

/** A peer that a test controls: the test chooses its messages, and answers come in order. */
async function aPeer(t: TestContext, port: number) {
  const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => {})
  t.after(() => socket.destroy())
  const reader = new FrameReader()
  const unread: IsoMessage[] = []
  socket.on('data', (chunk) => {
    for (const bytes of reader.push(chunk as Buffer)) unread.push(HOUSE.decode(bytes))
  })
  await once(socket, 'connect')
  return {
    socket,
    closed: new Promise<void>((resolve) => socket.on('close', () => resolve())),
    send: (message: IsoMessage) => socket.write(frame(HOUSE.encode(message))),
    async read(): Promise<IsoMessage> {
      return eventually('the peer reads a message', () => unread.shift(), { everyMs: 0 })
    },
  }
}

function management(networkCode: string, mti = '0800'): IsoMessage {
  const fields = { 7: '1121142530', 11: '000009', 32: '400001', 41: 'NM000000', 70: networkCode }
  return { mti, fields }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** Resolves once a count has not moved for a hundred turns of the event loop. */
async function untilStill(count: () => number): Promise<void> {
  let before = -1
  while (before !== count()) {
    before = count()
    for (let turn = 0; turn < 100; turn++) await nextTurn()
  }
}

test('a client of this package signs on to the server and is answered', async (t) => {
  const { port } = await aServer(t)
  const client = aClient(t, port)
  await client.whenUp()

  const reply = await client.send(anAuthorization('1'), LONG_MS)

  assert.deepEqual(reply, { kind: 'reply', message: approval(anAuthorization('1')) })
})

test('before the sign-on everything is answered 58 and nothing is handed over', async (t) => {
  const { port } = await aServer(t, { onMessage: () => assert.fail('a message was handed over') })
  const peer = await aPeer(t, port)

  for (const message of [anAuthorization('1'), management(NETWORK_CODES.echo)]) {
    peer.send(message)
    assert.deepEqual(await peer.read(), answerTo(message, { 39: '58' }))
  }
})

test('sign-on, echo, sign-off and an unknown code are answered by the server itself', async (t) => {
  const { port } = await aServer(t)
  const peer = await aPeer(t, port)
  const steps = [
    [management('002'), '58'],
    [management('001'), '00'],
    [management('301'), '00'],
    [management('161'), '12'],
    [management('301', '0801'), '00'],
    [anAuthorization('1'), '00'],
    [management('002'), '00'],
    [anAuthorization('2'), '58'],
  ] as const

  for (const [message, code] of steps) {
    peer.send(message)
    assert.deepEqual(await peer.read(), answerTo(message, { 39: code }))
  }
})

test('a session that is signed on does not sign on another', async (t) => {
  const seen: LinkSession[] = []
  const { port } = await aServer(t, {
    onMessage: (message, session) => {
      seen.push(session)
      return approval(message)
    },
  })
  const [first, second] = [await aPeer(t, port), await aPeer(t, port)]
  first.send(management('001'))
  await first.read()

  second.send(anAuthorization('1'))
  first.send(anAuthorization('2'))

  assert.equal((await second.read()).fields[39], '58')
  assert.equal((await first.read()).fields[39], '00')
  assert.deepEqual(
    seen.map(({ id, signedOn }) => [id, signedOn]),
    [[1, true]],
  )
})

test('a slow answer does not hold up the others', async (t) => {
  const slow = Promise.withResolvers<void>()
  const { port } = await aServer(t, {
    onMessage: async (message) => {
      if (message.fields[11] === '000001') await slow.promise
      return approval(message)
    },
  })
  const client = aClient(t, port)
  await client.whenUp()
  const first = client.send(anAuthorization('1'), LONG_MS)

  assert.equal((await client.send(anAuthorization('2'), LONG_MS)).kind, 'reply')
  slow.resolve()
  assert.equal((await first).kind, 'reply')
})

test('a handler that gives null sends no answer', async (t) => {
  const { port } = await aServer(t, { onMessage: () => null })
  const client = aClient(t, port)
  await client.whenUp()

  assert.deepEqual(await client.send(anAuthorization('1'), 20), {
    kind: 'unknown',
    reason: 'timeout',
  })
})

const UNREADABLE: Readonly<Record<string, { bytes: Buffer; code: string }>> = {
  'a length that no frame has': { bytes: Buffer.of(0, 3, 1), code: 'frame_length_invalid' },
  'a frame that is no message': { bytes: frame(Buffer.alloc(20, 0x41)), code: 'mti_invalid' },
  'an answer to nothing': {
    bytes: frame(HOUSE.encode({ ...management('001'), mti: '0810' })),
    code: 'mti_has_no_answer',
  },
}

for (const [what, { bytes, code }] of Object.entries(UNREADABLE)) {
  test(`${what} closes its session with a reason and leaves the others alone`, async (t) => {
    const faults: [string, number][] = []
    const { port } = await aServer(t, {
      onBadFrame: (error, session) => faults.push([error.code, session.id]),
    })
    const client = aClient(t, port)
    await client.whenUp()
    const peer = await aPeer(t, port)

    peer.socket.write(bytes)
    await peer.closed

    assert.deepEqual(faults, [[code, 2]])
    assert.equal((await client.send(anAuthorization('1'), LONG_MS)).kind, 'reply')
  })
}

test('a session can answer wrong, in raw bytes, and hang up, as a bank never should', async (t) => {
  const { port } = await aServer(t, {
    onMessage: (message, session) => {
      const bytes = frame(HOUSE.encode(approval(message)))
      session.writeRaw(bytes.subarray(0, 30))
      session.writeRaw(bytes.subarray(30))
      session.write(answerTo(message, { 11: '999999', 39: '00' }))
      session.end()
      return null
    },
  })
  const peer = await aPeer(t, port)
  peer.send(management('001'))
  await peer.read()

  peer.send(anAuthorization('1'))

  assert.deepEqual(await peer.read(), approval(anAuthorization('1')))
  assert.equal((await peer.read()).fields[11], '999999')
  await peer.closed
})

test('a session that is destroyed inside its handler leaves the outcome unknown', async (t) => {
  const { port } = await aServer(t, {
    onMessage: (message, session) => {
      session.destroy()
      return approval(message)
    },
  })
  const client = aClient(t, port)
  await client.whenUp()

  const reply = await client.send(anAuthorization('1'), LONG_MS)

  assert.deepEqual(reply, { kind: 'unknown', reason: 'link_lost' })
})

test('a handler that fails, or returns an invalid answer, is reported and not answered', async (t) => {
  const errors: unknown[] = []
  const { port } = await aServer(t, {
    onMessage: (message) => {
      if (message.fields[11] === '000001') throw new Error('the journal is full')
      return answerTo(message, { 39: 'too long' })
    },
    onHandlerError: (error) => errors.push(error),
  })
  const client = aClient(t, port)
  await client.whenUp()
  const unknown = { kind: 'unknown', reason: 'timeout' }

  assert.deepEqual(await client.send(anAuthorization('1'), 20), unknown)
  assert.deepEqual(await client.send(anAuthorization('2'), 20), unknown)

  await eventually('both errors are reported', () => errors.length >= 2 || undefined)
  assert.deepEqual(errors.map(String), [
    'Error: the journal is full',
    'Iso8583Error: DE 39 has a length that its format does not allow; see the field table.',
  ])
})

test('a peer that does not read its answers is not read from either', async (t) => {
  let handled = 0
  const answer = approval(anAuthorization('1', { 3: '000000' }))
  answer.fields[48] = 'x'.repeat(999)
  const { port } = await aServer(t, {
    maxUnsentBytes: 64 * 1024,
    onMessage: () => {
      handled += 1
      return answer
    },
  })
  const peer = await aPeer(t, port)
  peer.send(management('001'))
  await peer.read()
  const request = frame(HOUSE.encode(anAuthorization('1')))
  const batch = Buffer.concat(Array.from({ length: 1_000 }, () => request))

  peer.socket.pause()
  // As long as the kernel takes bytes; then neither side moves any more.
  let sent = 0
  while (sent < 200_000 && peer.socket.writableLength < 4 * 1024 * 1024) {
    peer.socket.write(batch)
    sent += 1_000
    await nextTurn()
  }
  await untilStill(() => handled)
  const handledWhileBlocked = handled
  peer.socket.resume()
  for (let count = 0; count < sent; count++) await peer.read()

  assert.ok(handledWhileBlocked < sent, 'everything was handled for a peer that did not read')
  assert.equal(handled, sent)
})

test('reading pauses while too many messages are being handled, and goes on after', async (t) => {
  const held: (() => void)[] = []
  const { port } = await aServer(t, {
    maxOpenMessages: 10,
    onMessage: (message) => new Promise((resolve) => held.push(() => resolve(approval(message)))),
  })
  const client = aClient(t, port, { window: 1_200 })
  await client.whenUp()
  // Large messages, so that one piece of the stream holds few of them.
  const large = (stan: number) =>
    anAuthorization(String(stan), { 60: 'x'.repeat(999), 61: 'x'.repeat(999) })
  const open = Array.from({ length: 500 }, (_, index) => client.send(large(index + 1), LONG_MS))

  await untilStill(() => held.length)
  const heldWhilePaused = held.length
  let isAnswered = false
  const replies = Promise.all(open).finally(() => (isAnswered = true))
  while (!isAnswered) {
    for (const answer of held.splice(0)) answer()
    await nextTurn()
  }

  assert.ok(heldWhilePaused > 10 && heldWhilePaused < 100, `${heldWhilePaused} were open at once`)
  assert.ok((await replies).every(({ kind }) => kind === 'reply'))
})

test('closing lets an open message be answered, then closes the sessions', async (t) => {
  const started = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const { server, port } = await aServer(t, {
    closeTimeoutMs: LONG_MS,
    onMessage: async (message) => {
      started.resolve()
      await go.promise
      return approval(message)
    },
  })
  const peer = await aPeer(t, port)
  peer.send(management('001'))
  await peer.read()
  peer.send(anAuthorization('1'))
  await started.promise

  const closed = server.close()
  go.resolve()

  assert.deepEqual(await peer.read(), approval(anAuthorization('1')))
  await Promise.all([closed, peer.closed])
})

test('closing does not wait for a handler that hangs', async (t) => {
  const started = Promise.withResolvers<void>()
  const { server, port } = await aServer(t, {
    closeTimeoutMs: 10,
    onMessage: () => {
      started.resolve()
      return new Promise(() => {})
    },
  })
  const client = aClient(t, port)
  await client.whenUp()
  const open = client.send(anAuthorization('1'), LONG_MS)
  await started.promise

  await server.close()

  assert.deepEqual(await open, { kind: 'unknown', reason: 'link_lost' })
})

test('a port that is taken is an error of listening', async (t) => {
  const { port } = await aServer(t)
  const options = {
    host: '127.0.0.1',
    port,
    codec: HOUSE,
    onMessage: approval,
    onBadFrame: () => {},
  }

  await assert.rejects(createLinkServer(options).listen(), { code: 'EADDRINUSE' })
})

test('a peer that resets its connection does not harm the server', async (t) => {
  const { port } = await aServer(t)
  const peer = await aPeer(t, port)
  peer.send(management('001'))
  await peer.read()
  for (let count = 1; count < 50; count++) peer.send(anAuthorization(String(count)))
  peer.socket.resetAndDestroy()

  const client = aClient(t, port)
  await client.whenUp()
  assert.equal((await client.send(anAuthorization('1'), LONG_MS)).kind, 'reply')
})
