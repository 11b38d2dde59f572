import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { InvariantError, answerTo, createLinkClient, frame } from '../src/index.ts'
import type { IsoMessage, LinkReply } from '../src/index.ts'
import { aBank, aClient, approval, approves, signsOn, silent } from './scripted-bank.ts'
import type { BankSide, Script } from './scripted-bank.ts'
import { HOUSE, anAuthorization } from './support.ts'

const LONG_MS = 30_000

const LINK_DOWN: LinkReply = { kind: 'not_sent', reason: 'link_down' }
const isPayment = ({ mti }: IsoMessage) => mti === '0100'
const isEcho = ({ fields }: IsoMessage) => fields[70] === '301'
const stanOf = (message: IsoMessage) => message.fields[11]

test('an approved message is answered with the reply of its own identity', async (t) => {
  const bank = await aBank(t, approves)
  const client = aClient(t, bank.port)
  await client.whenUp()

  const reply = await client.send(anAuthorization('1'), LONG_MS)

  assert.deepEqual(reply, { kind: 'reply', message: approval(anAuthorization('1')) })
})

test('a link signs on before anything else, on a terminal of its own', async (t) => {
  const bank = await aBank(t, approves)
  const states: string[] = []
  const client = aClient(t, bank.port, {
    onStateChange: (state) => states.push(state),
    now: () => new Date('2026-11-21T14:25:30Z'),
    random: () => 0,
  })

  await client.whenUp()

  const fields = { 7: '1121142530', 11: '000001', 32: '400001', 41: 'NM000000', 70: '001' }
  assert.deepEqual(bank.received, [{ mti: '0800', fields }])
  assert.deepEqual(states, ['signing_on', 'up'])
})

test('the management messages take the numbers they are given', async (t) => {
  const bank = await aBank(t, approves)
  const client = aClient(t, bank.port, {
    nextStan: () => ({ terminal: 'MGMT0001', stan: '000777' }),
  })

  await client.whenUp()

  assert.deepEqual(
    [bank.received[0]?.fields[41], stanOf(bank.received[0] ?? anAuthorization('1'))],
    ['MGMT0001', '000777'],
  )
})

test('answers in any order reach their own requests', async (t) => {
  const requests: IsoMessage[] = []
  const backwards: Script = (message, bank) => {
    requests.unshift(message)
    if (requests.length === 100) for (const request of requests) bank.send(approval(request))
  }
  const bank = await aBank(t, signsOn(backwards))
  const client = aClient(t, bank.port)
  await client.whenUp()
  const stans = Array.from({ length: 100 }, (_, index) => String(index + 1).padStart(6, '0'))

  const replies = await Promise.all(
    stans.map((stan) => client.send(anAuthorization(stan), LONG_MS)),
  )

  assert.deepEqual(
    replies.map((reply) => reply.kind === 'reply' && stanOf(reply.message)),
    stans,
  )
})

test('a silent bank leaves the outcome unknown after the time-out, and the link up', async (t) => {
  const bank = await aBank(t, signsOn(silent))
  const client = aClient(t, bank.port)
  await client.whenUp()

  assert.deepEqual(await client.send(anAuthorization('1'), 20), {
    kind: 'unknown',
    reason: 'timeout',
  })
  assert.equal(client.state(), 'up')
})

test('an answer that comes late is handed over as unmatched', async (t) => {
  const unmatched = Promise.withResolvers<IsoMessage>()
  let answerLate = () => {}
  const late: Script = (message, bank) => {
    answerLate = () => bank.send(approval(message))
  }
  const bank = await aBank(t, signsOn(late))
  const client = aClient(t, bank.port, { onUnmatched: unmatched.resolve })
  await client.whenUp()

  assert.deepEqual(await client.send(anAuthorization('1'), 20), {
    kind: 'unknown',
    reason: 'timeout',
  })
  answerLate()

  assert.deepEqual(await unmatched.promise, approval(anAuthorization('1')))
})

test('of two answers the first is the reply and the second is unmatched', async (t) => {
  const unmatched = Promise.withResolvers<IsoMessage>()
  const twice: Script = (message, bank) => {
    bank.send(answerTo(message, { 39: '00' }))
    bank.send(answerTo(message, { 39: '05' }))
  }
  const bank = await aBank(t, signsOn(twice))
  const client = aClient(t, bank.port, { onUnmatched: unmatched.resolve })
  await client.whenUp()

  const reply = await client.send(anAuthorization('1'), LONG_MS)

  assert.equal(reply.kind === 'reply' && reply.message.fields[39], '00')
  assert.equal((await unmatched.promise).fields[39], '05')
})

test('a link that is dropped after the message was read leaves everything open unknown', async (t) => {
  const drops: Script = (message, bank) => {
    if (stanOf(message) === '000002') bank.drop()
  }
  const bank = await aBank(t, signsOn(drops))
  const client = aClient(t, bank.port)
  await client.whenUp()

  const replies = await Promise.all([
    client.send(anAuthorization('1'), LONG_MS),
    client.send(anAuthorization('2'), LONG_MS),
  ])

  assert.deepEqual(replies, Array(2).fill({ kind: 'unknown', reason: 'link_lost' }))
})

const GARBAGE: Readonly<Record<string, (bank: BankSide) => void>> = {
  'a frame that is no message': (bank) => bank.sendRaw(frame(Buffer.alloc(40, 0xff))),
  'a length that no frame has': (bank) => bank.sendRaw(Buffer.of(0xff, 0xff, 0)),
}

for (const [what, answer] of Object.entries(GARBAGE)) {
  test(`${what} as an answer drops the link, and everything open is unknown`, async (t) => {
    const bank = await aBank(
      t,
      signsOn((_, side) => answer(side)),
    )
    const reasons: (string | null)[] = []
    const client = aClient(t, bank.port, { onStateChange: (_, reason) => reasons.push(reason) })
    await client.whenUp()

    const reply = await client.send(anAuthorization('1'), LONG_MS)

    assert.deepEqual(reply, { kind: 'unknown', reason: 'reply_unreadable' })
    assert.deepEqual(reasons, [null, null, 'reply_unreadable'])
    await client.whenUp()
  })
}

const GOOD_ANSWER = frame(HOUSE.encode(approval(anAuthorization('1'))))
const BAD_PIECES: Readonly<Record<string, Buffer>> = {
  'a frame that is no message': frame(Buffer.alloc(40, 0xff)),
  'a length that no frame has': Buffer.of(0, 3),
}

for (const [what, bad] of Object.entries(BAD_PIECES)) {
  test(`an answer before ${what} is still a reply`, async (t) => {
    const goodThenBad: Script = (message, bank) => {
      if (stanOf(message) === '000002') bank.sendRaw(Buffer.concat([GOOD_ANSWER, bad]))
    }
    const bank = await aBank(t, signsOn(goodThenBad))
    const client = aClient(t, bank.port)
    await client.whenUp()

    const replies = await Promise.all([
      client.send(anAuthorization('1'), LONG_MS),
      client.send(anAuthorization('2'), LONG_MS),
    ])

    assert.equal(replies[0]?.kind, 'reply')
    assert.deepEqual(replies[1], { kind: 'unknown', reason: 'reply_unreadable' })
  })

  test(`an answer behind ${what} is not believed`, async (t) => {
    const badThenGood: Script = (_, bank) => bank.sendRaw(Buffer.concat([bad, GOOD_ANSWER]))
    const bank = await aBank(t, signsOn(badThenGood))
    const client = aClient(t, bank.port)
    await client.whenUp()

    const reply = await client.send(anAuthorization('1'), LONG_MS)

    assert.deepEqual(reply, { kind: 'unknown', reason: 'reply_unreadable' })
  })
}

test('an answer in single bytes is a reply', async (t) => {
  const torn: Script = (message, bank) => {
    for (const byte of frame(HOUSE.encode(approval(message)))) bank.sendRaw(Buffer.of(byte))
  }
  const bank = await aBank(t, signsOn(torn))
  const client = aClient(t, bank.port)
  await client.whenUp()

  assert.equal((await client.send(anAuthorization('1'), LONG_MS)).kind, 'reply')
})

test('half an answer before the link is dropped is no answer', async (t) => {
  const half: Script = (message, bank) => {
    bank.sendRaw(frame(HOUSE.encode(approval(message))).subarray(0, 40))
    setImmediate(bank.drop)
  }
  const bank = await aBank(t, signsOn(half))
  const client = aClient(t, bank.port)
  await client.whenUp()

  const reply = await client.send(anAuthorization('1'), LONG_MS)

  assert.deepEqual(reply, { kind: 'unknown', reason: 'link_lost' })
})

const WRONG_ANSWERS: Readonly<Record<string, (request: IsoMessage) => IsoMessage>> = {
  'another STAN': (request) => answerTo(request, { 11: '999999', 39: '00' }),
  'another transmission time': (request) => answerTo(request, { 7: '0101000000', 39: '00' }),
  'another terminal': (request) => answerTo(request, { 41: 'T9999999', 39: '00' }),
  'another class': (request) => ({ ...approval(request), mti: '0210' }),
  'a type that answers nothing': (request) => ({ ...approval(request), mti: '0130' }),
  'no acquirer': (request) => {
    const answer = approval(request)
    delete answer.fields[32]
    return answer
  },
}

for (const [what, wrong] of Object.entries(WRONG_ANSWERS)) {
  test(`an answer with ${what} is unmatched and no reply`, async (t) => {
    const unmatched: IsoMessage[] = []
    const answersWrong: Script = (message, bank) => {
      bank.send(wrong(message))
      bank.send(approval(message))
    }
    const bank = await aBank(t, signsOn(answersWrong))
    const client = aClient(t, bank.port, { onUnmatched: (message) => unmatched.push(message) })
    await client.whenUp()

    const reply = await client.send(anAuthorization('1'), LONG_MS)

    assert.deepEqual(reply, { kind: 'reply', message: approval(anAuthorization('1')) })
    assert.deepEqual(unmatched, [wrong(anAuthorization('1'))])
  })
}

test('a refused sign-on keeps the link down, and it is tried again', async (t) => {
  let refusals = 2
  const refusesTwice: Script = (message, bank) =>
    bank.send(answerTo(message, { 39: refusals-- > 0 ? '58' : '00' }))
  const bank = await aBank(t, refusesTwice)
  const states: string[] = []
  const client = aClient(t, bank.port, {
    onStateChange: (state, reason) => states.push(reason ?? state),
  })

  assert.deepEqual(await client.send(anAuthorization('1'), LONG_MS), LINK_DOWN)
  await client.whenUp()

  assert.equal(bank.connections(), 3)
  const refused = ['signing_on', 'sign_on_failed']
  assert.deepEqual(states, [...refused, ...refused, 'signing_on', 'up'])
})

test('nothing is sent while the sign-on is not answered', async (t) => {
  const bank = await aBank(t, silent)
  const client = aClient(t, bank.port)
  await bank.next(({ mti }) => mti === '0800')

  assert.equal(client.state(), 'signing_on')
  assert.deepEqual(await client.send(anAuthorization('1'), LONG_MS), LINK_DOWN)
  assert.equal(bank.received.filter(isPayment).length, 0)
})

test('the client gives up an unanswered sign-on and connects again', async (t) => {
  const bank = await aBank(t, silent)
  aClient(t, bank.port, { timing: { signOnTimeoutMs: 10 } })

  await bank.next(({ mti }) => mti === '0800')
  await bank.next(({ mti }) => mti === '0800')

  assert.ok(bank.connections() >= 2)
})

test('one identity twice at once throws, and again after the answer it does not', async (t) => {
  const bank = await aBank(t, approves)
  const client = aClient(t, bank.port)
  await client.whenUp()
  const first = client.send(anAuthorization('1'), LONG_MS)

  assert.throws(
    () => client.send({ ...anAuthorization('1'), mti: '0101' }, LONG_MS),
    InvariantError,
  )

  assert.equal((await first).kind, 'reply')
  assert.equal((await client.send(anAuthorization('1'), LONG_MS)).kind, 'reply')
})

test('a message that cannot be sent is not sent, and says why', async (t) => {
  const bank = await aBank(t, approves)
  const client = aClient(t, bank.port)
  await client.whenUp()
  const cases: [IsoMessage, string][] = [
    [anAuthorization('1', { 4: 'x' }), 'field_content_invalid'],
    [{ mti: '0100', fields: { 3: '000000', 11: '000001' } }, 'field_missing'],
    [{ ...anAuthorization('1'), mti: '0110' }, 'mti_has_no_answer'],
    [{ mti: '0100', fields: {} }, 'field_missing'],
  ]

  for (const [message, code] of cases) {
    const reply = await client.send(message, LONG_MS)
    assert.ok(reply.kind === 'not_sent' && reply.reason === 'message_invalid')
    assert.equal(reply.error?.code, code)
  }
  assert.equal(bank.received.filter(isPayment).length, 0)
})

test('a client that was not started sends nothing', async () => {
  const options = {
    host: '127.0.0.1',
    port: 1,
    codec: HOUSE,
    acquirerId: '1',
    onUnmatched: () => {},
  }
  assert.deepEqual(await createLinkClient(options).send(anAuthorization('1'), LONG_MS), LINK_DOWN)
})

test('a bank that is not there is tried until it is', async (t) => {
  const placeholder = createServer().listen(0, '127.0.0.1')
  await once(placeholder, 'listening')
  const { port } = placeholder.address() as AddressInfo
  await new Promise((resolve) => placeholder.close(resolve))
  const third = Promise.withResolvers<void>()
  let failures = 0
  const client = aClient(t, port, {
    onStateChange: (_, reason) => {
      if (reason === 'connect_failed' && ++failures === 3) third.resolve()
    },
  })
  await third.promise
  assert.deepEqual(await client.send(anAuthorization('1'), LONG_MS), LINK_DOWN)

  const late = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      socket.write(frame(HOUSE.encode(approval(HOUSE.decode((chunk as Buffer).subarray(2))))))
    })
  }).listen(port, '127.0.0.1')
  t.after(() => late.close())

  await client.whenUp()
  assert.equal(client.state(), 'up')
})

test('an idle link sends an echo, and an answered echo keeps it up', async (t) => {
  const bank = await aBank(t, approves)
  const client = aClient(t, bank.port, { timing: { echoIdleMs: 10 } })

  await client.whenUp()
  await bank.next(isEcho)
  await bank.next(isEcho)
  await bank.next(isEcho)
  await bank.next(isEcho)

  assert.equal(client.state(), 'up')
  assert.equal(bank.connections(), 1)
})

test('the client drops the link after three unanswered echoes and connects again', async (t) => {
  const bank = await aBank(t, signsOn(silent))
  const dropped = Promise.withResolvers<string>()
  const client = aClient(t, bank.port, {
    timing: { echoIdleMs: 10, echoTimeoutMs: 10 },
    onStateChange: (state, reason) => {
      if (state === 'down') dropped.resolve(reason ?? '')
    },
  })
  await client.whenUp()
  const open = client.send(anAuthorization('1'), LONG_MS)

  assert.equal(await dropped.promise, 'echo_missed')
  assert.equal(bank.received.filter(isEcho).length, 3)
  assert.deepEqual(await open, { kind: 'unknown', reason: 'link_lost' })
  await client.whenUp()
  assert.equal(bank.connections(), 2)
})

test('the client signs on again after the bank refuses an echo', async (t) => {
  const forgets: Script = (message, bank) => bank.send(answerTo(message, { 39: '58' }))
  const bank = await aBank(t, signsOn(forgets))
  const client = aClient(t, bank.port, { timing: { echoIdleMs: 10 } })
  await client.whenUp()

  await bank.next(isEcho)
  await bank.next(({ fields }) => fields[70] === '001')

  assert.equal(bank.connections(), 2)
})

test('stopping waits for open messages and rejects new ones', async (t) => {
  const held = Promise.withResolvers<() => void>()
  const holds: Script = (message, bank) => held.resolve(() => bank.send(approval(message)))
  const bank = await aBank(t, signsOn(holds))
  const client = aClient(t, bank.port, { timing: { stopTimeoutMs: LONG_MS } })
  await client.whenUp()
  const open = client.send(anAuthorization('1'), LONG_MS)
  const answer = await held.promise

  const stopped = client.stop()
  const refused = await client.send(anAuthorization('2'), LONG_MS)
  answer()

  assert.equal((await open).kind, 'reply')
  assert.deepEqual(refused, LINK_DOWN)
  await stopped
  assert.equal(client.state(), 'down')
})

test('stopping does not wait beyond its limit; open messages become unknown', async (t) => {
  const bank = await aBank(t, signsOn(silent))
  const client = aClient(t, bank.port, { timing: { stopTimeoutMs: 10 } })
  await client.whenUp()
  const open = client.send(anAuthorization('1'), LONG_MS)

  await Promise.all([client.stop(), client.stop()])

  assert.deepEqual(await open, { kind: 'unknown', reason: 'link_lost' })
  assert.throws(() => client.start(), InvariantError)
})

test('a caller that waits for a link learns that it was stopped', async (t) => {
  const bank = await aBank(t, silent)
  const client = aClient(t, bank.port)
  const waiting = assert.rejects(client.whenUp(), /stopped before it came up/)

  await client.stop()

  await waiting
  await assert.rejects(client.whenUp(), /stopped before it came up/)
})
